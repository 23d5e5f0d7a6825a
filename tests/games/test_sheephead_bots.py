"""Bots of Sheephead: the conventions that rule keeps, and what they are worth."""

import pytest

from kibitz import arena
from kibitz.core.errors import SpecError
from kibitz.core.game import is_legal
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_agent, load_game
from kibitz.games.sheephead.bidding import pass_weight
from kibitz.testing import Subject, check_agent_decides_view_by_view, some_positions

GAME = load_game("sheephead")
SPECS = (
    "sheephead:hands=3",
    "sheephead:pass=leaster,crack=true",
    "sheephead:pass=forced,bury=fail,unknown=fail",
    "sheephead:pass=forced,blitz=true,crack=true",
)


def played_by(position: str, bot: str = "rule", spec: str = "sheephead") -> str:
    """Let a bot decide in a position; return what it does as text."""
    game = load_game(spec)
    state = game.parse(position)
    seat = int(state.turn)
    action = int(load_agent(bot, game).decide(state, seat).actions[0])
    assert is_legal(state, seat, action)
    written: str = game.text.format_action(state, seat, action)
    return written


@pytest.mark.parametrize(
    ("hand", "answer"),
    [
        ("QC.QS.8D.AC.10C.7S", "pick"),  # 3 + 3 + 1
        ("QC.JS.8D.AC.10C.7S", "pass"),  # 3 + 2 + 1
        ("joker.JC.JD.7C.8S.9H", "pick"),  # the joker counts as a queen
        ("AC.10C.AS.10S.AH.10H", "pass"),  # points take no tricks
    ],
)
def test_rule_picks_by_its_trumps(hand: str, answer: str) -> None:
    assert played_by(f"deal=1 phase=bid dealer=4 hands={hand}/?/?/?/? blind=?") == answer


def test_rule_picks_on_less_if_told_so() -> None:
    position = "deal=1 phase=bid dealer=4 hands=QC.JS.8D.AC.10C.7S/?/?/?/? blind=?"
    assert played_by(position, "rule:pick=6") == "pick"


def test_rule_buries_points_of_a_short_suit_and_keeps_a_card_to_call() -> None:
    start = "deal=1 phase=bury dealer=4 picker=0"
    assert played_by(f"{start} hands=QC.QS.JC.AD.9D.10S.KS.7C/?/?/?/?") == "bury 10S KS"
    assert played_by(f"{start} hands=QC.QS.JC.AD.9D.8D.10S.KC/?/?/?/?") != "bury 10S KC"
    assert played_by(f"{start} hands=QC.QS.JC.AD.9D.8D.JD.QH/?/?/?/?") != "bury QC QS"


def test_rule_calls_the_suit_of_which_it_keeps_least() -> None:
    start = "deal=1 phase=declare dealer=4 picker=0 buried=10S.10H"
    assert played_by(f"{start} hands=QC.JC.9D.8C.9C.7H/?/?/?/?") == "call AH"
    assert played_by(f"{start} hands=QC.QS.joker.JC.JS.7H/?/?/?/?") == "alone"


def test_rule_lays_points_face_down_but_no_ace() -> None:
    start = "deal=1 phase=declare dealer=4 picker=0 buried=KS.10S"
    assert played_by(f"{start} hands=QC.JC.9D.AS.9S.8D/?/?/?/?").startswith("unknown 9S call A")


@pytest.mark.parametrize(
    ("picker", "hand", "answer"),
    [
        (1, "QC.QS.7H.8C.9C.8S", "blitz black"),  # the picker's own
        (0, "QC.QS.7C.8C.9C.8S", "pass"),  # 6: too little against him
        (0, "QC.QS.joker.8C.9C.8S", "blitz black"),  # 9
        (0, "QC.QS.QH.QD.9C.8S", "blitz both"),
        (0, "QC.QS.AH.8C.9C.8S", "blitz black"),  # the partner's
        (0, "QC.QH.joker.JC.JS.8S", "pass"),
    ],
)
def test_rule_shows_queens_that_help_its_side(picker: int, hand: str, answer: str) -> None:
    start = f"deal=1 phase=blitz dealer=4 turn=1 picker={picker} called=AH without={picker}"
    passed, buried = ("passed=0", "7S.9S") if picker else ("", "?")
    position = f"{start} {passed} buried={buried} hands=?/{hand}/?/?/?"
    assert played_by(position, spec="sheephead:blitz=true") == answer


def lead(picker: int, hand: str, buried: str = "?") -> str:
    """Let seat 0 lead to the first trick after AC was called."""
    passed = "passed=" + ".".join(map(str, range(picker))) if picker else ""
    start = f"deal=1 phase=play dealer=4 {passed} picker={picker} called=AC without={picker}"
    return f"{start} buried={buried} hands={hand}/?/?/?/?"


def last(picker: int, hand: str, trick: str) -> str:
    """Let seat 4 play to the first trick, of hearts, after AC was called."""
    passed = "passed=" + ".".join(map(str, range(picker))) if picker else ""
    start = f"deal=1 phase=play turn=4 dealer=4 {passed} picker={picker} called=AC without={picker}"
    played = f"played={trick}/- laid={trick}/- void=-/H/-/H/-"
    return f"{start} buried=? hands=?/?/?/?/{hand} {played}"


def test_the_picker_leads_trump() -> None:
    assert played_by(lead(0, "QC.JC.9D.9C.9S.10S", "KH.10H")) == "QC"


def test_the_partner_leads_trump() -> None:
    assert played_by(lead(1, "JD.8D.AC.KS.9S.10S")) == "8D"


def test_defenders_lead_the_called_suit_and_no_trump() -> None:
    assert played_by(lead(1, "QD.JD.9C.KS.7S.8H")) == "9C"
    assert played_by(lead(1, "QD.JD.AH.KS.7S.8H")) == "AH"


def test_points_go_to_a_friend_who_wins() -> None:
    assert played_by(last(0, "10H.8H.9H.KS.7S.9C", "7H/8D/KH/8S")) == "10H"


def test_points_are_kept_from_the_enemy() -> None:
    assert played_by(last(1, "10H.8H.9H.KS.7S.9C", "7H/8D/KH/8S")) == "8H"


def test_the_last_seat_takes_points_from_the_enemy() -> None:
    card = played_by(last(1, "AD.JC.KS.7S.9C.8C", "7H/10D/10H/8S"))
    assert card == "AD", "with points, not with a jack"


def test_a_nola_gets_rid_of_high_cards_first() -> None:
    start = "deal=1 phase=nola turn=0 dealer=4 passed=0.1.2.3.4 blind=?"
    assert played_by(f"{start} hands=AC.KC.7C.8S.9H.10H/?/?/?/?") == "AC"


def test_worlds_in_which_a_strong_hand_passed_count_less() -> None:
    hands = "QC.QS.8D.AC.10C.7S/JC.JS.8S.KC.9C.8C/QH.JH.9D.10S.9S.7H/AH.10H.KH.9H.8H.7C"
    start = "deal=1 phase=bid turn=4 dealer=4 passed=0.1.2.3 blind=AD.KD"
    world = GAME.parse(f"{start} hands={hands}/joker.QD.JD.10D.AS.KS")
    assert pass_weight(world, 7, 0.2) == pytest.approx(0.2), "only seat 0 holds 7 or more"
    assert pass_weight(world, 6, 0.2) == pytest.approx(0.04), "and seat 2 holds 6"
    assert pass_weight(world, 7, 1.0) == 1


@pytest.mark.parametrize(
    "bad", ["pimc:doubt=0", "pimc:doubt=1.5", "pimc:worlds=0", "rule:pick=-5", "rule:alone=99"]
)
def test_parameters_out_of_range_are_refused(bad: str) -> None:
    with pytest.raises(SpecError, match="expected"):
        load_agent(bad, GAME)


@pytest.mark.parametrize("bot", ["rule", "rule:bidding=random", "rule:play=random"])
@pytest.mark.parametrize("spec", SPECS)
def test_rule_plays_all_options(spec: str, bot: str) -> None:
    game = load_game(spec)
    agents = [load_agent(bot, game)] * game.n_seats
    result = arena.play(game, agents, deals=200 if COMPILED else 3, seed=4)
    assert result.n_games


def test_rule_decides_view_by_view() -> None:
    check_agent_decides_view_by_view(load_agent("rule", load_game("sheephead:hands=2")))


def test_rule_never_picks_at_random_unless_told_so() -> None:
    bidders = [load_agent(bot, GAME) for bot in ("rule", "rule:play=random")]
    for table in some_positions(Subject("sheephead"), 8, 20):
        if table.state.phase >= 5 or table.is_over:
            continue
        seat = table.movers[0]
        view = table.view(seat)
        assert len({int(bot.decide(view, seat).actions[0]) for bot in bidders}) == 1


@pytest.mark.skipif(not COMPILED, reason="thousands of hands")
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("rule", "random"),
        ("rule", "rule:play=random"),  # card play alone: all bid alike
        ("rule:play=random", "random"),  # bidding alone: all play alike
    ],
)
def test_rule_is_better_than_chance_in_bidding_and_in_play(better: str, worse: str) -> None:
    agents = [load_agent(bot, GAME) for bot in (better, worse)]
    result = arena.play(GAME, agents, deals=3000, seed=11)
    assert result.paired()[0].difference.low > 1, "cents a hand"
