// Beyond the limit program: the game of nimmt.cpp under the same terms but one. Several values share a machine word,
// a byte each, and are compared or moved at once: what a vector unit does, in general registers. It shows what such
// packing is worth, and how far plain scalar code is from it.
//
//   g++ -O3 -march=native -std=c++17 nimmt_packed.cpp -o nimmt_packed && ./nimmt_packed 1000000 1
//
// What makes it fast. The deck stays shuffled from game to game and the hands lie in it. Chosen cards are sorted by
// taking bits off the set of the turn's cards. A card goes on the row with the highest end below it, so its new end
// still lies below the next row's end: rows keep their order by end, and all cards of a turn find their rows from
// the ends at its start. Only the lowest card can lie below all ends; the row it takes becomes the first in order
// and is marked as full with end 0, so that the card takes it by the code that all cards go through.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

constexpr u32 MAX_PLAYERS = 10, HAND = 10, ROWS = 4, CARDS = 104;

// Length and heads of a row share a word: length - 1 in the top three bits, so that its sign is set iff the row is
// full, and the heads below.
constexpr u32 LENGTH = 1u << 29, FULL = 1u << 31, HEADS = 255;

// Four bytes of a word, for the rows ordered by their ends, lowest in the lowest byte.
constexpr u32 LANES = 0x01010101, TOPS = 0x80808080;

struct State {
    u64 seen[2];             // bit set of the cards that have lain on the table
    u32 players, turn;       // turns completed, 0 to 10
    u32 order, ends;         // the rows ordered by end, and these ends: a byte each
    u8 deck[CARDS];          // the first cards of the rows, then ten cells per hand, then what was not dealt
    u32 row[ROWS];           // length and heads
    u8 board[ROWS][8];       // cards, oldest first; beyond the length nothing means anything
    u32 taken[MAX_PLAYERS];  // heads
};

struct Card {
    u64 bit[2];  // its place in a set of cards
    u32 lanes;   // its number in all bytes, their top bits set
    u32 weight;  // what it adds to a row
};
static Card CARD[CARDS + 1];

static u64 splitmix64(u64 &s) {
    u64 z = s += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// A Weyl sequence hashed by one full multiplication: draws do not wait for each other.
struct Random {
    u64 a;
    explicit Random(u64 seed) : a(splitmix64(seed)) {}
    u64 next() {
        a += 0xa0761d6478bd642f;
        unsigned __int128 product = (unsigned __int128)a * (a ^ 0xe7037ed1a0b428db);
        return (u64)(product >> 64) ^ (u64)product;
    }
    u32 below(u32 n) {
        u64 product = (next() >> 32) * n;
        if (__builtin_expect((u32)product < n, 0)) {
            u32 threshold = -n % n;
            while ((u32)product < threshold) product = (next() >> 32) * n;
        }
        return product >> 32;
    }
};

static inline void deal(State &s, Random &random) {
    const u32 dealt = ROWS + s.players * HAND;
    for (u32 i = 0; i < dealt; i++) {
        u32 j = i + random.below(CARDS - i);
        u8 card = s.deck[j];
        s.deck[j] = s.deck[i];
        s.deck[i] = card;
    }
    u32 end[ROWS];
    u64 low = 0, high = 0;
    for (u32 r = 0; r < ROWS; r++) {
        u32 c = end[r] = s.board[r][0] = s.deck[r];
        s.row[r] = CARD[c].weight - LENGTH;
        low |= CARD[c].bit[0], high |= CARD[c].bit[1];
    }
    s.seen[0] = low, s.seen[1] = high;
    s.order = s.ends = s.turn = 0;
    for (u32 r = 0; r < ROWS; r++) {
        u32 rank = 0;
        for (u32 q = 0; q < ROWS; q++) rank += end[q] < end[r];
        s.order |= r << 8 * rank, s.ends |= end[r] << 8 * rank;
    }
    for (u32 &heads : s.taken) heads = 0;
}

// Let the lowest card, which is below all rows, take the cheapest one: it looks full with end 0 from now on.
static inline void give_cheapest(State &s, u32 &order, u32 &ends) {
    u32 a = s.row[0] << 8, b = s.row[1] << 8 | 1, c = s.row[2] << 8 | 2, d = s.row[3] << 8 | 3;
    u32 x = a < b ? a : b, y = c < d ? c : d;
    u32 cheapest = (x < y ? x : y) & 3;
    u32 others = ((order ^ cheapest * LANES) + (TOPS - LANES)) & TOPS;
    u32 before = (1u << (__builtin_ctz(~others & TOPS) - 7)) - 1;  // bytes of the rows ordered before it
    u32 after = ~(before << 8 | 255);
    order = (order & before) << 8 | cheapest | (order & after);
    ends = (ends & before) << 8 | (ends & after);
    s.row[cheapest] |= FULL;
}

static inline void play_turn(State &s, Random &random) {
    const u64 players = s.players;
    const u32 left = HAND - s.turn;
    u8 owner[128];
    u64 low = 0, high = 0;
    u8 *hand = s.deck + ROWS;
    for (u64 p = 0; p < players; p++, hand += HAND) {
        u64 i = random.below(left), c = hand[i];
        hand[i] = hand[left - 1], hand[left - 1] = c;
        owner[c] = p;
        low |= CARD[c].bit[0], high |= CARD[c].bit[1];
    }
    s.seen[0] |= low, s.seen[1] |= high;

    u64 word = low ? low : high, base = low ? 0 : 64;
    u32 order = s.order, ends = s.ends;
    if (base + __builtin_ctzll(word) < (ends & 255)) give_cheapest(s, order, ends);

    u32 new_ends = ends;
    for (u64 k = 0; k < players; k++) {
        u64 c = base + __builtin_ctzll(word);
        word &= word - 1;
        base = word ? base : 64;
        word = word ? word : high;
        // The highest byte whose end is below the card; shifting by z moves it to the top, or the top to it.
        u32 z = __builtin_clz((CARD[c].lanes - ends) & TOPS);
        u32 r = order << z >> 24;
        new_ends ^= (new_ends ^ CARD[c].lanes) & 255u << 24 >> z;
        // Without a branch, as full rows come too irregularly to predict.
        u32 row = s.row[r], full = (int32_t)row >> 31;
        s.taken[owner[c]] += row & HEADS & full;
        row = (row & ~full) - (LENGTH & full) + CARD[c].weight;
        s.row[r] = row;
        s.board[r][row >> 29] = c;
    }
    s.order = order, s.ends = new_ends & ~TOPS;
    s.turn++;
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
    State s = {};
    volatile u32 players = 5;  // volatile, so that the compiler does not specialise for it either
    s.players = players;
    for (u32 c = 1; c <= CARDS; c++) {
        u32 heads = c == 55 ? 7 : c % 11 == 0 ? 5 : c % 10 == 0 ? 3 : c % 5 == 0 ? 2 : 1;
        CARD[c].bit[c >> 6] = 1ull << (c & 63);
        CARD[c].lanes = c * LANES | TOPS;
        CARD[c].weight = LENGTH | heads;
        s.deck[c - 1] = c;
    }

    u64 heads = 0, checksum = 0;
    auto start = std::chrono::steady_clock::now();
    for (u64 g = 0; g < games; g++) {
        deal(s, random);
        while (s.turn < HAND) play_turn(s, random);
        for (u32 p = 0; p < s.players; p++) heads += s.taken[p], checksum = checksum * 31 + s.taken[p];
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    printf("{\"games\": %llu, \"seconds\": %.6f, \"checksum\": %llu, \"mean\": %.5f}\n", (unsigned long long)games,
           seconds, (unsigned long long)checksum, (double)heads / s.players / games);
}
