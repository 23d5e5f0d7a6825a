// Limit program: uniformly random rounds of 6 nimmt! (full deck of 104, forced row = fewest bull heads,
// lowest row index on ties), one game at a time, one thread.
//
//   g++ -O3 -march=native -std=c++17 nimmt.cpp -o nimmt && ./nimmt 1000000 1
//
// Terms. It is as general as the rules it is compared with, and otherwise as fast as plain scalar C++ was made:
//   - the number of players is a variable of the state, 2 to 10 (main plays with 5): no code is specialised for it;
//   - the state keeps what the rules need: every hand as cards, the four rows card by card, their lengths and
//     heads, the heads everybody has taken, the bit set of the cards seen;
//   - every card dealt and every card chosen costs one random number, and is exactly uniform (Lemire's
//     multiplication with rejection);
//   - the cards of a turn are placed in ascending order;
//   - one value per variable: a row is found by comparing a card with four ends, one after the other.
// nimmt_packed.cpp drops the last of these: it compares with all four ends at once, in the bytes of one word.
//
// What makes it fast. The deck stays shuffled from game to game and the hands lie in it. Chosen cards are sorted by
// taking bits off the set of the turn's cards. A full row is no branch, since it cannot be predicted.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

constexpr u32 MAX_PLAYERS = 10, HAND = 10, ROWS = 4, FULL_ROW = 5, CARDS = 104;

struct State {
    u64 seen[2];             // bit set of the cards that have lain on the table
    u32 players, turn;       // turns completed, 0 to 10
    u8 deck[CARDS];          // the first cards of the rows, then ten cells per hand, then what was not dealt
    u32 end[ROWS];           // last card of each row
    u32 length[ROWS];        // cards on each row
    u32 heads[ROWS];         // heads on each row
    u8 board[ROWS][8];       // cards, oldest first; beyond the length nothing means anything
    u32 taken[MAX_PLAYERS];  // heads
};

struct Card {
    u64 bit[2];  // its place in a set of cards
    u32 heads;
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
    u64 low = 0, high = 0;
    for (u32 r = 0; r < ROWS; r++) {
        u32 c = s.end[r] = s.board[r][0] = s.deck[r];
        s.length[r] = 1, s.heads[r] = CARD[c].heads;
        low |= CARD[c].bit[0], high |= CARD[c].bit[1];
    }
    s.seen[0] = low, s.seen[1] = high, s.turn = 0;
    for (u32 &heads : s.taken) heads = 0;
}

// The row whose end is the highest below a card, or ROWS if there is none.
static inline u32 row_for(const State &s, u32 card) {
    u32 best = ROWS, highest = 0;
    for (u32 r = 0; r < ROWS; r++) {
        bool better = s.end[r] < card && s.end[r] > highest;
        best = better ? r : best;
        highest = better ? s.end[r] : highest;
    }
    return best;
}

static inline u32 cheapest_row(const State &s) {
    u32 best = 0;
    for (u32 r = 1; r < ROWS; r++) best = s.heads[r] < s.heads[best] ? r : best;
    return best;
}

static inline void place(State &s, u32 card, u32 player) {
    u32 r = row_for(s, card);
    bool takes = false;
    if (r == ROWS) r = cheapest_row(s), takes = true;
    takes |= s.length[r] == FULL_ROW;
    s.taken[player] += takes ? s.heads[r] : 0;
    u32 length = takes ? 0 : s.length[r];
    s.board[r][length] = card;
    s.length[r] = length + 1;
    s.heads[r] = (takes ? 0 : s.heads[r]) + CARD[card].heads;
    s.end[r] = card;
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
    for (u64 k = 0; k < players; k++) {
        u64 c = base + __builtin_ctzll(word);
        word &= word - 1;
        base = word ? base : 64;
        word = word ? word : high;
        place(s, c, owner[c]);
    }
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
        CARD[c].heads = heads;
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
