"""The state of a session of Sheephead.

Seats are players, who keep their money; where they sit round the table stands in `left`. Everything
goes to the left: bidding, the first lead, the deal.
"""

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.game import Seat, State, state_dtype
from kibitz.core.kernels import kernel

SEATS = 5
HAND_CARDS = 6
BLIND_CARDS = 2
TRICKS = 6
DOUBLED_HANDS = 5  # after a hand of 60 to 60
MOST_REDEALS = 9  # of one hand; then the dealer must pick

# Codes of the options, as Option.encode gives them.
NOLA, LEASTER, DOUBLER, REDEAL, FORCED = 0, 1, 2, 3, 4
ANY_CARD, FAIL_CARD = 0, 1  # for burying and for the unknown card

# Phases.
WAITING = 0  # for the cards of the next hand
BIDDING = 1
BURYING = 2
DECLARING = 3  # alone, or a called card
BLITZING = 4  # the others in turn, then the picker: show two queens?
CRACKING = 5  # the others in turn, then the picker: double the payments?
PLAYING = 6  # a trick with the picker's side against the rest
NOLA_PLAYING = 7
LEASTER_PLAYING = 8
OVER = 9

HIDDEN = -1  # in a view: the unknown card, face down

STATE = state_dtype(
    [
        # Sets of cards. Hidden ones are empty in a view.
        ("hand", np.uint64, (SEATS,)),
        ("played", np.uint64, (SEATS,)),  # in this hand; the unknown card too, unless it is hidden
        ("blind", np.uint64),  # until it is picked; to the end where nobody picked
        ("buried", np.uint64),  # known to the picker only
        ("phase", np.int64),
        ("turn", np.int64),  # who decides
        ("leader", np.int64),  # of the trick
        ("n_laid", np.int64),  # cards in the trick
        ("winner", np.int64),  # who is winning the trick so far, where n_laid > 0
        ("led", np.int64),  # suit of the trick, where n_laid > 0
        ("tricks_played", np.int64),
        # Options, by the codes above. `pass` is a word of Python: write state["pass"].
        ("pass", np.int32),
        ("bump", np.int32),
        ("lead_called", np.int32),
        ("slough", np.int32),
        ("underlead", np.int32),
        ("unknown", np.int32),
        ("bury", np.int32),
        ("called_ten", np.int32),
        ("stack", np.int32),
        ("blitz", np.int32),
        ("crack", np.int32),
        ("open", np.int32),
        ("hands", np.int32),  # of a session
        ("redraw", np.int32),  # seats are drawn again every so many hands; 0 = never
        ("dealt", np.int32),  # hands begun
        ("money", np.int32, (SEATS,)),  # cents, all hands together
        ("paid", np.int32, (SEATS,)),  # cents in the hand that ended last
        ("doubled", np.int32),  # hands left that pay double, this one included
        # Taken in tricks: the bury and the blind are not in them; nor is, in a view that hides it,
        # the unknown card.
        ("points", np.int16, (SEATS,)),
        ("left", np.int8, (SEATS,)),  # left neighbour of each seat
        ("dealer", np.int8),
        ("passed", np.int8),  # bit mask of the seats that passed
        ("redeals", np.int8),  # of this hand, since nobody picked
        ("picker", np.int8),  # 1 + seat, or 0
        ("called", np.int8),  # 1 + card, or 0: none, or not yet
        # 1 + seat that holds or held the called card; 0 = nobody, or a view that does not tell.
        ("partner", np.int8),
        ("face_down", np.int8),  # the unknown: 1 + card, HIDDEN, or 0
        ("face_down_at", np.int8),  # 1 + trick in which it was played, or 0
        ("face_down_to", np.int8),  # 1 + seat that took that trick, or 0
        # 1 + trick in which the called suit was led first, or 0; obligations end with that trick.
        ("called_led", np.int8),
        ("without", np.int8),  # bit mask of the seats that have shown not to hold the called card
        ("revealed", np.int8),  # whether the called card has been played
        # 1 + seat that has shown the black queens, or the red ones; 0 = nobody.
        ("black", np.int8),
        ("red", np.int8),
        ("cracks", np.int8),  # 0, 1 or 2 in this hand
        ("misfits", np.int8),  # whether a resampled world contradicts the view; zero elsewhere
        ("tricks", np.int8, (SEATS,)),  # taken
        # Bit mask of the suits that a seat has shown to be out of; of the picker's unknown, as long
        # as he holds it, this says nothing.
        ("void", np.int8, (SEATS,)),
        # 1 + card of each seat in the trick and in the one before; HIDDEN = the unknown card.
        ("laid", np.int8, (SEATS,)),
        ("last", np.int8, (SEATS,)),
        ("last_leader", np.int8),
        ("last_winner", np.int8),  # 1 + seat, or 0: no trick yet
    ]
)


@kernel
def wide(number: int) -> int:
    """Return a small field as the kind of whole number that all kernels are compiled for."""
    return np.int64(number)  # type: ignore[return-value]


@kernel
def n_cards(state: State, seat: Seat) -> int:
    """Return the number of cards that a seat holds, also where they are concealed."""
    if state.phase == WAITING or state.phase == OVER:
        return popcount(state.hand[seat])
    if state.picker == seat + 1:
        if state.phase == BURYING:
            return HAND_CARDS + BLIND_CARDS
        if state.face_down == HIDDEN and state.face_down_at != 0:
            return HAND_CARDS - 1 - popcount(state.played[seat])
    return HAND_CARDS - popcount(state.played[seat])
