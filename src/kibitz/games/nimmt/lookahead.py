"""A few turns played in sampled worlds, then a judgement: the search of `best`.

A *world* deals the unseen cards to the others and lets them choose by a policy; all own choices are
tried in the same worlds. Play goes on by policies for some turns; what is then still to come is
looked up (`cues`). Own choices that look worse are given up, half of them at a time.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Seat, State, States
from kibitz.core.kernels import inlined_kernel, inner_kernel, record_dtype, wrapping_kernel
from kibitz.core.rng import RNG, Rng, Rngs, below, unit
from kibitz.games.nimmt.cues import (
    Table,
    Weights,
    card_cues,
    look,
    next_card,
    rank_ends,
    without,
    worth,
)
from kibitz.games.nimmt.finish import cheapest_place, come_first, lay_out, n_ends_upto, place_of
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    CHOOSING,
    FIRST_ROW_ACTION,
    FULL_ROW,
    HAND_CARDS,
    HIDDEN,
    HIGHEST_CARD,
    MAX_SEATS,
    ROWS,
    ascending,
    deck,
    hand_size,
    held,
)

WORLD = record_dtype(
    [
        ("ends", np.uint64),  # of the rows, as in `finish`
        ("lanes", np.uint64),  # the rows
        ("unseen", np.uint64, (2,)),  # cards that have not lain on the table
        ("holds", np.uint64, (MAX_SEATS, 2)),  # the hands, as sets
        ("lost", np.int64, (MAX_SEATS,)),  # heads taken since the view
        ("players", np.int64),
        ("n_cards", np.int64),  # in every hand
        ("whose", np.int64, (MAX_SEATS,)),  # which policy each seat plays by
        ("chosen", np.int8, (MAX_SEATS,)),
        ("shares", np.float32, (HAND_CARDS,)),  # scratch of a choice
        ("options", np.int8, (HAND_CARDS,)),
    ]
)

ARM = record_dtype(
    [
        ("choice", np.int64),  # a card, or a row
        ("tries", np.int64),
        ("heads_sum", np.float64),  # heads lost
        ("heads_squares", np.float64),
        ("is_alive", np.int64),
    ]
)

MAX_ARMS = HAND_CARDS
ROOT, DEALT, PLAYED = 0, 1, 2
"""The worlds of a desk: what is known, one dealt world, and a copy in which a choice is played."""

OWN, OTHERS, ANY = 0, 1, 2
"""Policies of a judgement: of the seat that searches, of everybody else, and of random play."""

NO_NUMBER = -1
"""In place of the number of a row: the cheapest one is taken."""

_ZERO, _ONE, _TWO, _LANE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(16)
_NUMBER, _HEADS_AND_NUMBER, _WHOLE_LANE = np.uint64(3), np.uint64(0xFF), np.uint64(0xFFFF)
_FULL = np.uint64(FULL_ROW << 8)
_WEIGHTS = ((1 << 8) + 4 * BULL_HEADS).astype(np.uint64)

NOTION = record_dtype(
    [
        ("doubts", np.float64, (MAX_SEATS,)),  # how probably each seat plays at random
        # How probable a card is in a hand, beside the most probable one, unless play is random.
        ("tilts", np.float32, (MAX_SEATS, HIGHEST_CARD + 1)),
    ]
)

MOST_REFUSALS = 64
"""So many cards that are unlikely in a hand are put back before one is dealt all the same."""

Worlds = npt.NDArray[np.record]
Notions = npt.NDArray[np.record]


class Judgement(NamedTuple):
    """What is believed about play, by cue."""

    factors: Weights  # [3, cues] a card is chosen in proportion to their product
    value: Weights  # heads to come


class Desk(NamedTuple):
    """What one search at a time works with."""

    worlds: Worlds  # [3]
    arms: npt.NDArray[np.record]
    pool: npt.NDArray[np.int8]  # hidden cards
    notions: Notions  # [1] what is thought of the others
    rngs: Rngs  # [1] a stream that all choices share in a world


class Plan(NamedTuple):
    """One search: who asks, and what about."""

    seat: int
    n_arms: int
    n_pool: int
    turns: int  # played before the judgement
    is_choosing: int  # a card, not a row


@inner_kernel
def choose_card(world: np.record, table: Table, seat: Seat, factors: Weights, rng: Rng) -> int:
    """Draw a card of a seat by its policy."""
    whose = world.whose[seat]
    low, high = world.holds[seat, 0], world.holds[seat, 1]
    own = rank_ends(table.ends, low, high)
    total = np.float32(0)
    for i in range(table.n):
        card = next_card(low, high)
        low, high = without(low, high)
        crowd, band, near = card_cues(table, own, card, i)
        total += factors[whose, crowd] * factors[whose, band] * factors[whose, near]
        world.shares[i] = total
        world.options[i] = card
    drawn = np.float32(unit(rng)) * total
    i = 0
    while i < table.n - 1 and world.shares[i] <= drawn:
        i += 1
    return np.int64(world.options[i])  # type: ignore[return-value]


@inlined_kernel
def play_card(world: np.record, seat: Seat, card: int) -> None:
    """Put a card of a seat face down."""
    world.chosen[seat] = card
    world.holds[seat, card >> 6] &= ~(_ONE << np.uint64(card & 63))


@inlined_kernel
def place_cards(world: np.record, number: int) -> None:
    """Place the chosen cards of a turn; a card below all rows takes the row of that number."""
    players = world.players
    ends, rows = world.ends, world.lanes
    order = ascending(world)
    n_placed = players
    taker = order & 15
    card = np.uint64(world.chosen[taker])
    if card < ends & _WHOLE_LANE:
        place = cheapest_place(rows) if number == NO_NUMBER else place_of(rows, number)
        row = rows >> place & _HEADS_AND_NUMBER
        world.lost[taker] += np.int64(row >> _TWO)
        rows = come_first(rows, place) | _WEIGHTS[card] + (row & _NUMBER)
        ends = come_first(ends, place) | card
        order >>= 4
        n_placed -= 1
    new_ends = ends
    for _ in range(n_placed):
        placer = order & 15
        order >>= 4
        card = np.uint64(world.chosen[placer])
        place = _LANE * np.uint64(n_ends_upto(card, ends) - 1)
        row = rows >> place & _WHOLE_LANE
        is_taken = _ZERO - np.uint64(row >= _FULL)
        world.lost[placer] += np.int64((row & _HEADS_AND_NUMBER & is_taken) >> _TWO)
        rows += (_WEIGHTS[card] - (row & ~_NUMBER & is_taken)) << place
        new_ends ^= ((new_ends >> place ^ card) & _WHOLE_LANE) << place
    world.ends, world.lanes = new_ends, rows
    for seat in range(players):
        card = np.uint64(world.chosen[seat])
        world.unseen[card >> np.uint64(6)] &= ~(_ONE << (card & np.uint64(63)))


@inlined_kernel
def see(world: np.record) -> Table:
    """Look at the table of a world."""
    return look(
        *(world.ends, world.lanes, world.unseen[0], world.unseen[1]), world.n_cards, world.players
    )


@inner_kernel
def choose_others(world: np.record, seat: Seat, factors: Weights, rng: Rng) -> None:
    """Let everybody but one seat choose by a policy."""
    table = see(world)
    for other in range(world.players):
        if other != seat:
            play_card(world, other, choose_card(world, table, other, factors, rng))


@inner_kernel
def play_turns(world: np.record, seat: Seat, n_turns: int, judgement: Judgement, rng: Rng) -> float:
    """Play some turns by policies; return the heads that a seat has lost or is going to lose."""
    for _ in range(min(n_turns, world.n_cards)):
        table = see(world)
        for other in range(world.players):
            card = choose_card(world, table, other, judgement.factors, rng)
            play_card(world, other, card)
        place_cards(world, NO_NUMBER)
        world.n_cards -= 1
    lost = np.float64(world.lost[seat])
    if world.n_cards > 0:
        low, high = world.holds[seat, 0], world.holds[seat, 1]
        lost += worth(see(world), low, high, judgement.value)
    return lost


@inner_kernel
def lay_down(view: State, seat: Seat, turns: int, desk: Desk) -> Plan:
    """Put what a view tells on a desk, and list the choices."""
    world = desk.worlds[ROOT]
    world.ends, world.lanes = lay_out(view)
    world.players = view.players
    is_choosing = view.phase == CHOOSING
    n = hand_size(view)
    world.n_cards = n
    for word in range(2):
        world.unseen[word] = deck(view, word) & ~view.seen[word]
    for other in range(MAX_SEATS):
        world.lost[other] = 0
        world.whose[other] = OWN if other == seat else OTHERS
        world.chosen[other] = 0 if is_choosing else view.chosen[other]
        for word in range(2):
            world.holds[other, word] = held(view, other, word)
    n_pool = _list_hidden(view, seat, desk.pool) if view.hands == HIDDEN else 0
    n_arms = n if is_choosing else ROWS
    for i in range(n_arms):
        arm = desk.arms[i]
        arm.choice = view.hand[seat, i] if is_choosing else FIRST_ROW_ACTION + i
        arm.tries, arm.is_alive = 0, 1
        arm.heads_sum, arm.heads_squares = 0, 0
    return Plan(seat, n_arms, n_pool, turns, int(is_choosing))


@inlined_kernel
def _list_hidden(view: State, seat: Seat, pool: npt.NDArray[np.int8]) -> int:
    """List the cards that others may hold, as far as a seat knows."""
    n = 0
    for card in range(1, HIGHEST_CARD + 1):
        word, bit = card >> 6, _ONE << np.uint64(card & 63)
        if deck(view, word) & ~view.seen[word] & ~held(view, seat, word) & bit:
            is_shown = False
            for other in range(view.players):
                is_shown |= view.chosen[other] == card
            if not is_shown:
                pool[n] = card
                n += 1
    return n


@inlined_kernel
def _draw(desk: Desk, plan: Plan, k: int, tilts: Weights, is_any: bool, rng: Rng) -> int:
    """Draw a place of the pool from `k` on, by how probable its card is in a hand."""
    j = k + below(rng, plan.n_pool - k)
    for _ in range(0 if is_any else MOST_REFUSALS):
        if unit(rng) < tilts[desk.pool[j]]:
            break
        j = k + below(rng, plan.n_pool - k)
    return j


@inlined_kernel
def deal_world(desk: Desk, plan: Plan, rng: Rng) -> None:
    """Deal hidden cards to the others, from any of them on; draw who of them plays at random."""
    desk.worlds[DEALT] = desk.worlds[ROOT]
    world, notion = desk.worlds[DEALT], desk.notions[0]
    for other in range(world.players):
        if other != plan.seat and notion.doubts[other] > 0 and unit(rng) < notion.doubts[other]:
            world.whose[other] = ANY
    if plan.n_pool == 0:
        return
    k = 0
    first = below(rng, world.players)
    for step in range(world.players):
        other = (first + step) % world.players
        if other == plan.seat:
            continue
        low, high = _ZERO, _ZERO
        for _ in range(world.n_cards):
            j = _draw(desk, plan, k, notion.tilts[other], world.whose[other] == ANY, rng)
            card = np.int64(desk.pool[j])
            desk.pool[j] = desk.pool[k]
            desk.pool[k] = card
            bit = _ONE << np.uint64(card & 63)
            low |= bit if card < 64 else _ZERO
            high |= bit if card >= 64 else _ZERO
            k += 1
        world.holds[other, 0] = low
        world.holds[other, 1] = high


@inner_kernel
def explore(desk: Desk, plan: Plan, judgement: Judgement, rng: Rng, n_worlds: int) -> None:
    """Try every choice that is alive in the same worlds."""
    for _ in range(n_worlds):
        deal_world(desk, plan, rng)
        if plan.is_choosing:
            choose_others(desk.worlds[DEALT], plan.seat, judgement.factors, rng)
        for i in range(plan.n_arms):
            arm = desk.arms[i]
            if not arm.is_alive:
                continue
            desk.worlds[PLAYED] = desk.worlds[DEALT]
            world = desk.worlds[PLAYED]
            desk.rngs[0] = rng
            if plan.is_choosing:
                play_card(world, plan.seat, arm.choice)
                place_cards(world, NO_NUMBER)
                world.n_cards -= 1
            else:
                place_cards(world, arm.choice - FIRST_ROW_ACTION)
            lost = play_turns(world, plan.seat, plan.turns - 1, judgement, desk.rngs[0])
            arm.tries += 1
            arm.heads_sum += lost
            arm.heads_squares += lost * lost
        unit(rng)  # choices have drawn from copies of the stream: what follows is another


@inner_kernel
def halve(desk: Desk, plan: Plan) -> None:
    """Drop the worse half of what is alive."""
    n_alive = 0
    for i in range(plan.n_arms):
        n_alive += desk.arms[i].is_alive
    for _ in range(n_alive // 2):
        worst = -1
        for i in range(plan.n_arms):
            if desk.arms[i].is_alive and (
                worst < 0 or desk.arms[i].heads_sum > desk.arms[worst].heads_sum
            ):
                worst = i
        desk.arms[worst].is_alive = 0


@inner_kernel
def search_view(
    view: State,
    seat: Seat,
    budget: tuple[int, int],
    desk: Desk,
    judgement: Judgement,
    rng: Rng,
) -> Plan:
    """Search a view with so many turns ahead and so many simulations."""
    turns, n_sims = budget
    plan = lay_down(view, seat, turns, desk)
    n_alive = plan.n_arms
    n_phases = 1
    while (1 << n_phases) < n_alive:
        n_phases += 1
    for phase in range(n_phases):
        explore(desk, plan, judgement, rng, max(n_sims // (n_phases * n_alive), 1))
        if phase < n_phases - 1:
            halve(desk, plan)
            n_alive -= n_alive // 2
    return plan


@inner_kernel
def best_arm(desk: Desk, plan: Plan) -> int:
    """Return the number of the choice that loses least among those that are alive."""
    best = -1
    for i in range(plan.n_arms):
        if desk.arms[i].is_alive and (
            best < 0 or desk.arms[i].heads_sum < desk.arms[best].heads_sum
        ):
            best = i
    return best


@wrapping_kernel
def search_all(
    asked: tuple[States, npt.NDArray[np.int64], Rngs, Notions],
    budget: tuple[int, int],
    desk: Desk,
    judgement: Judgement,
    found: npt.NDArray[np.record],
) -> None:
    """Search many views; write the arms of each to `found` [views, MAX_ARMS], which is zeros."""
    views, seats, rngs, notions = asked
    for k in range(len(views)):
        desk.notions[0] = notions[k]
        plan = search_view(views[k], seats[k], budget, desk, judgement, rngs[k])
        for i in range(plan.n_arms):
            found[k, i] = desk.arms[i]


@wrapping_kernel
def begin_search(views: States, seat: Seat, turns: int, desk: Desk) -> Plan:
    """Begin the search of one view, which goes on by `go_on`."""
    return lay_down(views[0], seat, turns, desk)


@wrapping_kernel
def go_on(desk: Desk, plan: Plan, judgement: Judgement, rngs: Rngs, n_worlds: int) -> None:
    """Go on with one search for some worlds."""
    explore(desk, plan, judgement, rngs[0], n_worlds)


@wrapping_kernel
def give_up_half(desk: Desk, plan: Plan) -> None:
    """Drop the worse half of what is alive."""
    halve(desk, plan)


def make_desk() -> Desk:
    """Make the memory of one search at a time."""
    return Desk(
        np.zeros(3, WORLD),
        np.zeros(MAX_ARMS, ARM),
        np.zeros(HIGHEST_CARD, np.int8),
        make_notions(1),
        np.zeros(1, RNG),
    )


def make_notions(n: int) -> Notions:
    """Return what is thought of others about whom nothing is known."""
    notions = np.zeros(n, NOTION)
    notions["tilts"] = 1
    return notions
