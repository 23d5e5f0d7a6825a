"""What `convention` weighs by: the weights of its first version, and those it plays by now."""

import numpy as np

from kibitz.core.kernels import record_dtype

FIRST = {
    # Chances: of a higher unseen single, or of a pair or trio that an opponent holds, to be laid.
    "single_risk": 0.65,
    "others_take": 0.8,
    "trust": 0.8,  # how much is believed that who passed has nothing higher
    "straight_win": 0.3,  # of the lowest straight of five, and the lowest two pairs in a row
    "steps_win": 0.5,
    # Leads that a combination which surely wins gives back, and what else a plan costs.
    "single_back": 1.1,
    "pair_back": 1.4,
    "long_back": 1.3,
    "bomb_back": 2.2,
    "phoenix_back": 1.5,
    "dragon_back": 1.7,
    "dog_cost": 0.65,
    "discard": 0.5,  # how well singles go away when others lead lower ones
    # What a hand is worth: goal / (1 + exp(sharp * (cost - middle))) - slope * cost.
    "goal": 6.0,
    "sharp": 1.2,
    "middle": 1.1,
    "slope": 0.5,
    "shed": 0.07,  # each card that is left
    # What the lead is worth, in costs: kept, taken from others, to a caller, to the partner.
    "lead_worth": 0.45,
    "take_worth": 0.5,
    "caller_worth": 0.6,
    "partner_lead": 1.2,
    "dog_lead": 0.75,
    "tempo": 0.4,  # by which share the lead is worth more when an opponent is nearly out
    "low_lead": 0.02,  # each rank by which a lead is lower
    "last": 0.3,  # taking a trick that nobody else can take from the opponents
    "point": 0.007,  # a point in a trick
    "danger": 0.7,  # that an opponent goes out on this
    "help": 0.5,  # that the partner does
    "urgency": 0.6,  # to stop an opponent with few cards
    "stop_call": 0.8,  # to stop one who has called
    "support": 0.4,  # how much the own hand counts if the partner has called
    "support_lead": 1.5,  # the lead of a partner who has called
    # Gifts: what a top card is worth to the partner, to one who has called, to an opponent.
    "gift": 0.6,
    "support_gift": 4.0,
    "opponent_gift": 3.0,
    "parity": 0.2,  # odd cards to the right, even ones to the left
    # From which scores on there is a call.
    "tichu_score": 0.35,
    "grand_score": 0.9,
    # What the first version did not weigh.
    "stop_one": 0.0,  # passing while an opponent with one card takes the trick, with two, a caller
    "stop_two": 0.0,
    "stop_caller": 0.0,
    "over_partner": 0.0,  # overtaking the partner, and one who has called
    "over_caller": 0.0,
    "keep_bomb": 0.0,  # breaking a bomb
    "phoenix_lead": 0.0,  # leading the Phoenix alone
    "keep_dog": 0.0,  # giving the Dog or the Mah Jong to an opponent
    "keep_mah_jong": 0.0,
    "wish_spares": 0.0,  # that a wish falls on the partner, and if the own side has called
    "wish_call": 0.0,
    "wish_rank": 0.0,  # the power of a rank by which high ones are wished for
    "takes_turns": 0.0,  # 1: who got the lower card from the partner lets him call first
    "against_call": 0.0,  # how much better a hand must be to call Tichu against a call
}

TUNED = {
    "single_risk": 0.61,
    "others_take": 0.71,
    "trust": 0.52,
    "straight_win": 0.24,
    "steps_win": 0.35,
    "single_back": 1.6,
    "pair_back": 1.6,
    "long_back": 1.4,
    "bomb_back": 3.6,
    "phoenix_back": 2.1,
    "dragon_back": 2.2,
    "dog_cost": 1.1,
    "discard": 0.083,
    "goal": 11.0,
    "sharp": 1.2,
    "middle": 2.1,
    "slope": 0.74,
    "shed": 0.21,
    "lead_worth": 0.53,
    "take_worth": 0.57,
    "caller_worth": 0.85,
    "partner_lead": 2.2,
    "dog_lead": 0.97,
    "tempo": 0.85,
    "low_lead": 0.089,
    "last": 0.64,
    "point": 0.004,
    "danger": 0.99,
    "help": 0.37,
    "urgency": 1.1,
    "stop_call": 1.0,
    "support": 0.31,
    "support_lead": 1.7,
    "gift": 1.2,
    "support_gift": 5.6,
    "opponent_gift": 6.0,
    "parity": 0.28,
    "tichu_score": 0.58,
    "grand_score": 0.82,
    "stop_one": 6.0,
    "stop_two": 2.5,
    "stop_caller": 2.0,
    "over_partner": 0.066,
    "over_caller": 1.4,
    "keep_bomb": 1.0,
    "phoenix_lead": 3.0,
    "keep_dog": 3.0,
    "keep_mah_jong": 4.0,
    "wish_spares": 3.0,
    "wish_call": 5.0,
    "wish_rank": 1.0,
    "takes_turns": 1.0,
    "against_call": 0.17,
}

POLICY = record_dtype(
    [("tichu_convention_policy", np.int64), *((name, np.float64) for name in FIRST)]
)


def make_policy(weights: dict[str, float]) -> np.record:
    """Put weights into a record for the kernels."""
    policy: np.record = np.zeros(1, POLICY)[0]
    for name, value in weights.items():
        policy[name] = value
    return policy
