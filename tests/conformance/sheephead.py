"""What only the author of Sheephead knows of it: who can hold what, slowly and card by card."""

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kibitz.core.game import Seat
from kibitz.games.sheephead import state as sheephead
from kibitz.games.sheephead.cards import CARDS, NAMES, NOLA_SUIT, POINTS
from kibitz.testing import Subject, view_of

TRUMP = 3
MAX_DEALS = 400


def members(cards: int) -> set[int]:
    """Return the cards of a set."""
    return {card for card in range(CARDS) if int(cards) >> card & 1}


def word(cards: set[int]) -> np.uint64:
    """Make a set of cards a word."""
    return np.uint64(sum(1 << card for card in cards))


def suit(card: int) -> int:
    """Return the suit of a card in a picked hand."""
    return min(card // 6, TRUMP)


@dataclass
class Piles:
    """Where the cards are that have not been played face up."""

    hands: list[set[int]]  # without the unknown card
    table: set[int]  # the blind, or what is buried
    unknown: int | None = None

    def hidden_from(self, state: np.record, seat: Seat) -> list[set[int]]:
        """Return the piles that a seat does not see; the unknown card is one."""
        is_picker = state.picker != 0 and state.picker == seat + 1
        piles = [hand for other, hand in enumerate(self.hands) if other != seat]
        if not is_picker:
            piles.append(self.table)
            if self.unknown is not None:
                piles.append({self.unknown})
        return piles


def piles_of(state: np.record) -> Piles:
    """Read where the cards are."""
    hands = [members(hand) for hand in state.hand]
    unknown = int(state.face_down) - 1 if state.face_down > 0 else None
    if unknown is not None:
        hands[state.picker - 1] -= {unknown}
    return Piles(hands, members(state.blind | state.buried), unknown)


def world_of(view: np.record, piles: Piles) -> np.record:
    """Fill a view with cards."""
    world = view.copy()
    for seat, hand in enumerate(piles.hands):
        world.hand[seat] = word(hand)
    if view.picker:
        world.buried = word(piles.table)
    else:
        world.blind = word(piles.table)
    if piles.unknown is not None:
        _lay_unknown(world, piles.unknown)
    for seat, hand in enumerate(piles.hands):
        if int(view.called) - 1 in hand:
            world.partner = seat + 1
    return world


def _lay_unknown(world: np.record, card: int) -> None:
    picker = int(world.picker) - 1
    was_hidden = world.face_down == sheephead.HIDDEN
    world.face_down = card + 1
    if not world.face_down_at:
        world.hand[picker] |= np.uint64(1 << card)
        return
    world.played[picker] |= np.uint64(1 << card)
    for trick in (world.laid, world.last):
        if trick[picker] == sheephead.HIDDEN:
            trick[picker] = card + 1
    if was_hidden and world.face_down_to:
        world.points[world.face_down_to - 1] += POINTS[card]


def fits(world: np.record, piles: Piles) -> bool:
    """Whether everything that has happened was possible with these cards."""
    nola = world.phase == sheephead.NOLA_PLAYING
    for seat, hand in enumerate(piles.hands):
        suits = {int(NOLA_SUIT[card]) if nola else suit(card) for card in hand}
        if any(int(world.void[seat]) >> void & 1 for void in suits):
            return False
    if not world.picker or world.phase == sheephead.BURYING:
        return True
    picker = int(world.picker) - 1
    kept = members(world.hand[picker] | world.played[picker])
    for shown, queens in ((world.black, {"QC", "QS"}), (world.red, {"QH", "QD"})):
        if not shown:
            continue
        had = piles.hands[shown - 1] | members(world.played[shown - 1])
        if not queens <= {NAMES[card] for card in had}:
            return False
    if world.bury and any(suit(c) == TRUMP for c in piles.table) and min(map(suit, kept)) < TRUMP:
        return False
    if not world.called:
        return True
    called = int(world.called) - 1
    holders = [seat for seat, hand in enumerate(piles.hands) if called in hand]
    if not world.revealed and (not holders or int(world.without) >> holders[0] & 1):
        return False
    if (called, piles.unknown) not in list(_calls(world, kept, kept | piles.table)):
        return False
    trick = int(world.tricks_played) + 1
    must_keep = not world.called_led or (world.called_led == trick and not world.laid[picker])
    if piles.unknown is not None or not must_keep or not world.hand[picker]:
        return True
    return suit(called) in {suit(card) for card in piles.hands[picker]}


def _calls(world: np.record, kept: set[int], held: set[int]) -> Iterator[tuple[int, int | None]]:
    """List the cards that may be called, each with what may be laid face down."""
    aces, tens = [5, 11, 17], [4, 10, 16]
    missing = [ace for ace in aces if ace not in held]
    bare = [ace for ace in missing if any(suit(card) == suit(ace) for card in held)]
    kept_suits = {suit(card) for card in kept}
    if bare:
        yield from ((ace, None) for ace in bare if suit(ace) in kept_suits)
    elif missing:
        for card in kept:
            if not world.unknown or suit(card) < TRUMP:
                yield from ((ace, card) for ace in missing)
    else:
        yield from ((ten, None) for ten in tens if ten not in held and suit(ten) in kept_suits)


def every_deal(view: np.record, seat: Seat, most: int = MAX_DEALS) -> list[Piles] | None:
    """Deal the unseen cards to the hidden places in every way; None if there are more than so."""
    is_picker = view.picker != 0 and view.picker == seat + 1
    sizes = {other: int(sheephead.n_cards(view, other)) for other in range(5) if other != seat}
    if view.phase != sheephead.BURYING and not is_picker:
        sizes[5] = 2
    if view.face_down == sheephead.HIDDEN:
        sizes[6] = 1
        if not view.face_down_at:
            sizes[int(view.picker) - 1] -= 1
    seen = members(sum(int(pile) for pile in view.played) | int(view.buried))
    own = members(view.hand[seat]) if seat >= 0 else set()
    unseen = set(range(CARDS)) - seen - own
    assert len(unseen) == sum(sizes.values())
    count = math.factorial(len(unseen))
    for size in sizes.values():
        count //= math.factorial(size)
    if count > most:
        return None
    own_unknown = int(view.face_down) - 1 if view.face_down > 0 else None
    deals = []
    for dealt in _deal(sorted(unseen), list(sizes.values())):
        of = dict(zip(sizes, dealt, strict=True))
        hands = [set(of.get(other, ())) for other in range(5)]
        if seat >= 0:
            hands[seat] = own - {own_unknown}
        table = set(of.get(5, members(view.buried)))
        deals.append(Piles(hands, table, of[6][0] if 6 in of else own_unknown))
    return deals


def _deal(cards: list[int], sizes: list[int]) -> Iterator[list[tuple[int, ...]]]:
    if not sizes:
        yield []
        return
    for first in itertools.combinations(cards, sizes[0]):
        left = [card for card in cards if card not in first]
        for rest in _deal(left, sizes[1:]):
            yield [first, *rest]


def sheephead_worlds(view: np.record, seat: Seat) -> list[np.record] | None:
    """List every world that fits a view."""
    if view.phase in (sheephead.WAITING, sheephead.OVER):
        return None
    deals = every_deal(view, seat)
    if deals is None:
        return None
    worlds = [(world_of(view, piles), piles) for piles in deals]
    return [world for world, piles in worlds if fits(world, piles)]


def swap_in_sheephead(state: np.record, seat: Seat, rng: random.Random) -> bool:
    """Exchange two cards that a seat does not see, if all that has happened stays possible."""
    if state.phase in (sheephead.WAITING, sheephead.OVER):
        return False
    view = view_of(state, seat)
    for _ in range(30):
        piles = piles_of(state)
        hidden = [pile for pile in piles.hidden_from(state, seat) if pile]
        if len(hidden) < 2:
            return False
        one, other = rng.sample(hidden, 2)
        first, second = rng.choice(sorted(one)), rng.choice(sorted(other))
        if piles.unknown in (first, second):
            piles.unknown = second if piles.unknown == first else first
        one ^= {first, second}
        other ^= {first, second}
        world = world_of(view, piles)
        if fits(world, piles):
            for name in state.dtype.names or ():
                state[name] = world[name]
            return True
    return False


def points_in_play(state: np.record) -> int | None:
    """Add up the points in tricks, in the trick, in hands and on the table: all of the deck."""
    lying = sum(int(POINTS[card - 1]) for card in state.laid if card > 0)
    piles = [*state.hand, state.blind | state.buried]
    return int(state.points.sum()) + lying + sum(int(POINTS[c]) for p in piles for c in members(p))


SHEEPHEADS = [
    Subject(
        f"sheephead{options}",
        games=games,
        swap_hidden=swap_in_sheephead,
        worlds=sheephead_worlds,
        conserved=points_in_play,
    )
    for options, games in (
        ("", 20),
        (":hands=3,redraw=1,crack=true,bump=true", 5),
        (":hands=2,blitz=true,crack=true", 20),
        (":pass=leaster,stack=true", 20),
        (":pass=doubler,hands=4", 5),
        (":pass=redeal,lead_called=false,slough=true", 20),
        (":pass=forced,bury=fail,unknown=fail,called_ten=top,underlead=true", 20),
    )
]
SHEEPHEADS.append(Subject("sheephead:hands=2,open=true,blitz=true", conserved=points_in_play))
