// Limit program: uniformly random games of Connect 4 (7 columns, 6 rows), one game at a time, scalar code, one
// thread.
//
//   g++ -O3 -march=native -std=c++17 connect4.cpp -o connect4 && ./connect4 5000000 1
//
// Random generator: xoroshiro128+, seeded by splitmix64. One 64-bit draw yields eight columns.
//
// A column is drawn from all seven and drawn again if it is full, which is uniform over the open ones. Counting
// and selecting among the open columns would put a multiplication and a bit deposit on the path from one move to
// the next; this way the next column is known early, and most games end before many columns are full.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using u64 = uint64_t;

// Seven bits per column, the seventh always empty so that no line wraps into the next column.
constexpr u64 BOTTOM = 0x0000040810204081, BOARD = BOTTOM * 63;
constexpr u64 COLUMN[8] = {63ull, 63ull << 7, 63ull << 14, 63ull << 21, 63ull << 28, 63ull << 35, 63ull << 42};

static u64 splitmix64(u64 &s) {
    u64 z = s += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

struct Random {
    u64 a, b;
    explicit Random(u64 seed) { a = splitmix64(seed), b = splitmix64(seed); }
    u64 next() {
        u64 sum = a + b, c = a ^ b;
        a = (a << 24 | a >> 40) ^ c ^ c << 16;
        b = c << 37 | c >> 27;
        return sum;
    }
};

// A 61-bit fraction whose base 7 digits are the columns. Eight digits per draw, bias below 2^-38.
struct Columns {
    u64 f;
    explicit Columns(Random &random) : f(random.next() >> 3) {}
    u64 next() {
        u64 product = f * 7;
        f = product & ((1ull << 61) - 1);
        return COLUMN[product >> 61];
    }
};

static inline bool four(u64 b) {
    u64 v = b & b >> 1, h = b & b >> 7, d = b & b >> 6, e = b & b >> 8;
    return (v & v >> 2) | (h & h >> 14) | (d & d >> 12) | (e & e >> 16);
}

struct End {
    u64 all, mover;  // all stones, and those of the player who moved last
    bool won;
};

static inline End play(Random &random) {
    u64 all = 0, mover = 0;
    // Nobody can have four stones, or meet a full column, within six moves.
    Columns opening(random);
    for (int i = 0; i < 6; i++) {
        all |= (all + BOTTOM) & opening.next();
        mover ^= all;  // all stones but those of the other player
    }
    for (;;) {
        Columns columns(random);
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            u64 stone = (all + BOTTOM) & columns.next();
            if (__builtin_expect(!stone, 0)) {
                if (all == BOARD) return {all, mover, false};
                continue;
            }
            all |= stone;
            mover ^= all;
            if (__builtin_expect(four(mover), 0)) return {all, mover, true};
        }
    }
}

static bool number(const char *text, u64 &value) {
    char *end;
    value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end;
}

int main(int argc, char **argv) {
    u64 games, seed;
    if (argc != 3 || !number(argv[1], games) || !number(argv[2], seed) || !games) {
        fprintf(stderr, "usage: %s GAMES SEED (GAMES at least 1, SEED at least 0)\n", argv[0]);
        return 2;
    }
    Random random(seed);
    u64 first = 0, draws = 0, plies = 0, checksum = 0;
    auto start = std::chrono::steady_clock::now();
    for (u64 g = 0; g < games; g++) {
        End end = play(random);
        u64 stones = __builtin_popcountll(end.all);
        plies += stones;
        first += end.won & stones & 1;
        draws += !end.won;
        checksum = checksum * 31 + end.all + end.mover;
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    double n = games;
    printf("{\"games\": %llu, \"seconds\": %.6f, \"checksum\": %llu, \"mean\": %.5f, \"draws\": %.5f, \"plies\": %.4f}\n",
           (unsigned long long)games, seconds, (unsigned long long)checksum, first / n, draws / n, plies / n);
}
