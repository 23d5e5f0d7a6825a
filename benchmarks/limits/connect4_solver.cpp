// Limit program: exact scores of Connect 4 positions (7 columns, 6 rows), one thread, scalar code.
//
//   g++ -O3 -march=native -std=c++17 connect4_solver.cpp -o connect4_solver
//   printf '44444\n-\n' | ./connect4_solver 19 1
//
// The terms are those of our solver: the same search, target by target, the same order of moves, the same table of
// two to the power of BITS places, without an opening book; so it looks at the same number of positions. Positions
// come on stdin, one line of columns (1 to 7) each, - for the empty board. REPEATS solves all of them so often, each
// time with an empty table; clearing it is not timed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

using u64 = uint64_t;

// Seven bits per column, the seventh always empty so that no line wraps into the next column.
constexpr u64 BOTTOM = 0x0000040810204081, BOARD = BOTTOM * 63;
constexpr int CELLS = 42, COLUMNS = 7;
constexpr int OUTSIDE_IN[COLUMNS] = {6, 0, 5, 1, 4, 2, 3};
constexpr int MIRRORED = 16;      // before this ply, a position and its mirror image share a place
constexpr int LOOK_AHEAD = 28;    // before this ply, known replies are looked up before any move is tried
constexpr int FROM_THE_ENDS = 8;  // targets asked from both ends inwards before halving
constexpr u64 RANK = 49;          // where the rank of a move stands above its cell
constexpr int NAUGHT = 32;        // what stands for a score of 0 in a place
constexpr u64 COST = 61;          // a place holds 3 bits of what a position costs to search, its key, and two bounds
constexpr u64 BELOW_COST = (1ull << COST) - 1;

struct Memory {
    u64 *places;
    int shift;
    u64 nodes;
    u64 moves[CELLS][COLUMNS], threats[CELLS][COLUMNS];
};

// Cells that three of a set would join to four in one direction.
template <int D>
static inline u64 beside(u64 own) {
    u64 above = own << D & own << 2 * D, below = own >> D & own >> 2 * D;
    return (above & (own << 3 * D | own >> D)) | (below & (own << D | own >> 3 * D));
}

// Free cells in which a player would make four, reachable or not.
static inline u64 winning_cells(u64 own, u64 all) {
    u64 up = own << 1 & own << 2 & own << 3;
    return (up | beside<6>(own) | beside<7>(own) | beside<8>(own)) & (BOARD ^ all);
}

static inline bool has_four(u64 b) {
    u64 v = b & b >> 1, h = b & b >> 7, d = b & b >> 6, e = b & b >> 8;
    return (v & v >> 2) | (h & h >> 14) | (d & d >> 12) | (e & e >> 16);
}

static inline u64 mirrored(u64 key) {
    u64 result = 0;
    for (int c = 0; c < COLUMNS; c++) result |= (key >> 7 * c & 127) << 7 * (COLUMNS - 1 - c);
    return result;
}

static inline u64 key_of(u64 own, u64 all, int ply) {
    u64 key = own + all + BOTTOM;
    return ply < MIRRORED ? std::min(key, mirrored(key)) : key;
}

static inline u64 place_of(const Memory &memory, u64 key) { return key * 0x9e3779b97f4a7c15 >> memory.shift; }

static inline int low_of(u64 place) { return (int)(place >> 6 & 63) - NAUGHT; }
static inline int high_of(u64 place) { return (int)(place & 63) - NAUGHT; }

// What is known of a position, in one of two places side by side; else 0.
static inline u64 look_up(const Memory &memory, u64 key) {
    u64 at = place_of(memory, key);
    for (u64 place : {memory.places[at], memory.places[at ^ 1]})
        if ((place & BELOW_COST) >> 12 == key) return place;
    return 0;
}

// Notes bounds in the first place of a position, unless that has a costlier one.
static inline void note(Memory &memory, u64 key, int ply, int low, int high) {
    u64 at = place_of(memory, key), first = memory.places[at], cost = std::min((CELLS - 2 - ply) >> 2, 7);
    if (first >> COST > cost && (first & BELOW_COST) >> 12 != key) at ^= 1;
    memory.places[at] = cost << COST | key << 12 | (u64)(low + NAUGHT) << 6 | (u64)(high + NAUGHT);
}

constexpr u64 ROOFS = BOTTOM << 6, EVEN = BOTTOM * 0b1010101, ODD = BOTTOM * 0b0101010;
constexpr int NO_BOUND = 99;

// Whether cells make no four, together with one of each pair of lowest cells.
static inline bool cannot_win(u64 mine, u64 lowest) {
    if (has_four(mine)) return false;
    if (!lowest || !has_four(mine | lowest)) return true;
    u64 second = lowest & (lowest - 1);
    if (second & (second - 1)) return false;
    return !has_four(mine | second) && !has_four(mine | (lowest ^ second));
}

// What the other proves by answering every disc in its column, if columns end where told at the latest.
static inline int bound_with(u64 own, u64 all, u64 ends, int ply, int least) {
    ends |= ROOFS;
    u64 end = ends & ~(ends - BOTTOM), free = (ends - BOTTOM) & ~ends & (BOARD ^ all), even = end & EVEN;
    even = (even | even >> 2 | even >> 4 | even >> 6) & BOTTOM;
    u64 movers = ODD ^ ((even << 7) - even), lowest = (all + BOTTOM) & free & ~movers, last = end & BOARD;
    if (__builtin_popcountll(lowest) & 1) return NO_BOUND;
    int bound, left = CELLS - ply - __builtin_popcountll(free);
    if (last) bound = -(left / 2);
    else if (least > 0) bound = 0;
    else if (has_four((own ^ all) | (free & ~movers & ~lowest))) bound = -(left / 2) - 1;
    else return NO_BOUND;
    return bound < least && cannot_win(own | (free & movers) | last, lowest) ? bound : NO_BOUND;
}

static inline int bound_by_following(u64 own, u64 all, u64 threats, int ply, int least) {
    u64 ends = threats | threats >> 1;
    int bound = bound_with(own, all, ends, ply, least);
    return bound == NO_BOUND && ends ? bound_with(own, all, 0, ply, least) : bound;
}

// Whether one of some moves leaves the other no way to stop the next from making four.
static inline bool wins_next(u64 own, u64 all, u64 landing) {
    for (u64 cell; landing; landing ^= cell) {
        cell = landing & -landing;
        u64 after = all | cell, wins = winning_cells(own | cell, after);
        u64 replies = (after + BOTTOM) & BOARD, forced = replies & wins;
        if (forced & (forced - 1)) return true;
        if (!((forced ? forced : replies) & ~(wins >> 1))) return true;
    }
    return false;
}

// Whether who moves scores at least `least`: a result of that or more is a lower bound, any other an upper one.
// Nobody can win at once here; `threats` are the cells in which the other would.
static int search(Memory &memory, u64 own, u64 all, u64 threats, int ply, int least) {
    memory.nodes++;
    u64 other = own ^ all, landing = (all + BOTTOM) & BOARD, forced = landing & threats;
    if (forced) {
        if (forced & (forced - 1)) return -(CELLS - ply) / 2;
        landing = forced;
    }
    landing &= ~(threats >> 1);
    if (!landing) return -(CELLS - ply) / 2;
    if (ply >= CELLS - 2) return 0;
    int low = -(CELLS - 2 - ply) / 2, high = (CELLS - 1 - ply) / 2;
    if (low >= least) return low;
    if (high < least) return high;
    if (!has_four((least > 0 ? own : other) | (BOARD ^ all))) return 0;
    if (forced) {
        u64 after = all | forced;
        return -search(memory, other, after, winning_cells(own | forced, after), ply + 1, 1 - least);
    }
    if (high == least) return wins_next(own, all, landing) ? high : high - 1;
    int bound = bound_by_following(own, all, threats, ply, least);
    if (bound != NO_BOUND) return bound;
    u64 key = key_of(own, all, ply), known = look_up(memory, key);
    if (known) {
        low = low_of(known), high = high_of(known);
        if (low >= least) return low;
        if (high < least) return high;
    }
    u64 *moves = memory.moves[ply], *after = memory.threats[ply];
    int n = 0;
    for (int c : OUTSIDE_IN) {
        u64 cell = landing & 63ull << 7 * c;
        if (!cell) continue;
        if (ply < LOOK_AHEAD) {
            u64 reply = look_up(memory, key_of(other, all | cell, ply + 1));
            if (reply && -high_of(reply) >= least) return -high_of(reply);
        }
        u64 wins = winning_cells(own | cell, all | cell), rank = __builtin_popcountll(wins);
        int i = n++;
        for (; i > 0 && moves[i - 1] >> RANK > rank; i--) moves[i] = moves[i - 1], after[i] = after[i - 1];
        moves[i] = rank << RANK | cell, after[i] = wins;
    }
    int best = -CELLS;
    for (int i = n - 1; i >= 0 && best < least; i--) {
        u64 cell = moves[i] & ((1ull << RANK) - 1);
        best = std::max(best, -search(memory, other, all | cell, after[i], ply + 1, 1 - least));
    }
    (best >= least ? low : high) = best;
    note(memory, key, ply, low, high);
    return best;
}

// The next question about a score between two bounds. Those near the ends are about short games, so they are cheap.
static int next_target(int low, int high, int n) {
    if (n < FROM_THE_ENDS) {
        if (n % 2 == 0 && high > 0) return std::max({high - 1, 1, low + 1});
        if (n % 2 == 1 && low < 0) return std::min({low + 2, 0, high});
    }
    return low + (high - low + 1) / 2;
}

static int solve(Memory &memory, u64 own, u64 all) {
    int ply = __builtin_popcountll(all);
    if (winning_cells(own, all) & (all + BOTTOM)) return (CELLS + 1 - ply) / 2;
    int low = -(CELLS - ply) / 2, high = (CELLS - 1 - ply) / 2;
    u64 threats = winning_cells(own ^ all, all);
    for (int n = 0; low < high; n++) {
        int target = next_target(low, high, n);
        int found = search(memory, own, all, threats, ply, target);
        (found >= target ? low : high) = found;
    }
    return low;
}

struct Position {
    u64 own = 0, all = 0;  // of who moves, and of both
};

static bool read(const std::string &line, Position &p) {
    if (line == "-") return true;
    for (char c : line) {
        u64 cell = c >= '1' && c <= '7' ? (p.all + BOTTOM) & 63ull << 7 * (c - '1') : 0;
        if (!cell) return false;
        p.own ^= p.all;
        p.all |= cell;
    }
    return true;
}

static bool number(const char *text, long least, long most, long &value) {
    char *end;
    value = strtol(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && value >= least && value <= most;
}

int main(int argc, char **argv) {
    long bits, repeats;
    if (argc != 3 || !number(argv[1], 1, 30, bits) || !number(argv[2], 1, 1000000000, repeats)) {
        fprintf(stderr, "usage: %s BITS REPEATS < POSITIONS (BITS 1 to 30, REPEATS at least 1)\n", argv[0]);
        return 2;
    }
    std::vector<Position> positions;
    char line[64];
    while (scanf("%63s", line) == 1) {
        Position position;
        if (!read(line, position)) return fprintf(stderr, "not a position: %s\n", line), 2;
        positions.push_back(position);
    }
    Memory memory{};
    size_t bytes = sizeof(u64) << bits;
    memory.places = (u64 *)aligned_alloc(1 << 12, std::max(bytes, (size_t)1 << 12));
    memory.shift = 64 - (int)bits;
    std::vector<int> scores(positions.size());
    double seconds = 0;
    for (long k = 0; k < repeats; k++) {
        memset(memory.places, 0, bytes);
        clock_t start = clock();
        for (size_t i = 0; i < positions.size(); i++) scores[i] = solve(memory, positions[i].own, positions[i].all);
        seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
    }
    printf("{\"seconds\": %.6f, \"nodes\": %llu, \"scores\": [", seconds, (unsigned long long)(memory.nodes / repeats));
    for (size_t i = 0; i < scores.size(); i++) printf(i ? ", %d" : "%d", scores[i]);
    printf("]}\n");
}
