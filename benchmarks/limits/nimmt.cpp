// Limit program: uniformly random rounds of 6 nimmt! (5 players, full deck of 104, forced row = fewest
// bull heads, lowest row index on ties), one game at a time, scalar code, one thread.
//
//   g++ -O3 -march=native -std=c++17 nimmt.cpp -o nimmt && ./nimmt 1000000 1
//
// Random generator: xoroshiro128+, seeded by splitmix64. One 64-bit draw yields several bounded integers.
//
// What makes it fast is that a turn has almost no serial dependence. Keep the rows sorted by end card: a card
// goes on the row with the highest end below it, so its new end still lies below the next row's end and the
// order holds. Hence the rows of all five cards of a turn follow from the ends at the start of the turn, and
// only the smallest card can lie below all rows (after it has taken one, every later card fits somewhere).
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

using u32 = uint32_t;
using u64 = uint64_t;

constexpr int PLAYERS = 5, HAND = 10, ROWS = 4, DEALT = ROWS + PLAYERS * HAND, CARDS = 104;

// A card is card << 8 | heads << 5 | owner: it orders like the card number and fits below bit 15.
// The four rows are 16-bit lanes of two words, lowest end in the lowest lane:
//   ends: the end card of each row;
//   rows: count - 1 (bits 13..15), heads (5..9), original row index (3..4). Bit 15 is set iff a row has five
//         cards, and heads|index compares as the forced choice of a row does.
constexpr u64 LANES = 0x0001000100010001, TOPS = LANES << 15;
constexpr u64 COUNT = 1 << 13, HEADS = 31 << 5, INDEX = 3 << 3;
constexpr u32 CARD_HEADS = 7 << 5, CARD_OWNER = 7;

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

// A 57-bit fraction from which bounded integers are taken one after another by multiply-shift: the integer part
// is the result, the rest the next fraction. At most five per draw, bias below 2^-36.
struct Fraction {
    u64 f;
    explicit Fraction(Random &random) : f(random.next() >> 7) {}
    u64 below(u64 n) {
        u64 product = f * n;
        f = product & ((1ull << 57) - 1);
        return product >> 57;
    }
};

// Conditional expressions, because GCC turns std::min/max on array elements into branches here.
static inline u32 lower(u32 x, u32 y) { return x < y ? x : y; }
static inline void order(u32 &x, u32 &y) {
    u32 low = x < y ? x : y, high = x < y ? y : x;
    x = low, y = high;
}

// The deck stays shuffled from game to game: a partial Fisher-Yates is uniform from any start.
static inline void deal(u32 *deck, Random &random) {
    static_assert(DEALT % 3 == 0, "three cards per draw");
    for (u32 i = 0; i < DEALT;) {
        Fraction fraction(random);
        for (int k = 0; k < 3; k++, i++) std::swap(deck[i], deck[i + fraction.below(CARDS - i)]);
    }
}

static inline void play(u32 *deck, Random &random, u64 *score) {
    u32 start[ROWS];
    for (u32 r = 0; r < ROWS; r++) start[r] = deck[r] | r;
    order(start[0], start[1]), order(start[2], start[3]);
    order(start[0], start[2]), order(start[1], start[3]), order(start[1], start[2]);
    u64 ends = 0, rows = 0;
    for (int r = 0; r < ROWS; r++) {
        ends |= (u64)start[r] << 16 * r;
        rows |= (u64)((start[r] & CARD_HEADS) | (start[r] & 3) << 3) << 16 * r;
    }

#pragma GCC unroll 10  // constant hand sizes, worth 10 %
    for (u32 left = HAND; left > 0; left--) {
        u32 card[PLAYERS];
        Fraction fraction(random);
#pragma GCC unroll 5
        for (u32 p = 0; p < PLAYERS; p++) {
            u32 *hand = deck + ROWS + HAND * p;
            std::swap(hand[fraction.below(left)], hand[left - 1]);
            card[p] = hand[left - 1] | p;
        }
        order(card[0], card[3]), order(card[1], card[4]), order(card[0], card[2]);
        order(card[1], card[3]), order(card[0], card[1]), order(card[2], card[4]);
        order(card[1], card[2]), order(card[3], card[4]), order(card[2], card[3]);

        // Smallest card below all rows: move the cheapest row to the front with end 0 and count 5, so that the
        // card takes it by the common code below. Without a branch, as it happens too irregularly to predict.
        u64 below_all = -(u64)(card[0] < (ends & 0xffff));
        u64 cost = rows & (HEADS | INDEX) * LANES;
        u32 cheapest = lower(lower((cost & 0xffff) | 3, (cost >> 16 & 0xffff) | 2),
                             lower((cost >> 32 & 0xffff) | 1, cost >> 48));
        u64 moved = ~0ull >> 16 * (cheapest & 7) & below_all;  // lanes up to the cheapest
        u64 shifted = moved & ~0xffffull;
        rows = (rows & ~moved) | (rows << 16 & shifted) | (((cheapest & ~7u) | 4 * COUNT) & below_all);
        ends = (ends & ~moved) | (ends << 16 & shifted);

        u64 new_ends = ends;
#pragma GCC unroll 5
        for (int k = 0; k < PLAYERS; k++) {
            // Top bits of the lanes whose end is below the card; the highest of them is the card's row.
            // Shifting by z moves that lane to the top of the word, or a top lane to its place.
            u64 c = card[k];
            int z = __builtin_clzll(((c * LANES | TOPS) - ends) & TOPS);
            new_ends = (new_ends & ~(0xffffull << 48 >> z)) | c << 48 >> z;
            u64 lane = rows << z;
            u64 full = (int64_t)lane >> 63;
            score[c & CARD_OWNER] += lane >> 53 & 31 & full;
            u64 taken = (rows & HEADS << 48 >> z) + (5 * COUNT << 48 >> z);
            rows = rows - (taken & full) + (((c & CARD_HEADS) | COUNT) << 48 >> z);
        }
        ends = new_ends;
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
    u32 deck[CARDS];
    for (u32 c = 1; c <= CARDS; c++) {
        u32 heads = c == 55 ? 7 : c % 11 == 0 ? 5 : c % 10 == 0 ? 3 : c % 5 == 0 ? 2 : 1;
        deck[c - 1] = c << 8 | heads << 5;
    }

    u64 heads = 0, checksum = 0;
    auto start = std::chrono::steady_clock::now();
    for (u64 g = 0; g < games; g++) {
        u64 score[PLAYERS] = {};
        deal(deck, random);
        play(deck, random, score);
        for (u64 s : score) heads += s, checksum = checksum * 31 + s;
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    printf("{\"games\": %llu, \"seconds\": %.6f, \"checksum\": %llu, \"mean\": %.5f}\n", (unsigned long long)games,
           seconds, (unsigned long long)checksum, (double)heads / PLAYERS / games);
}
