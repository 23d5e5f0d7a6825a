"""Bots of Tichu: what each of them does, and that convention is better than rule."""

import hashlib

import numpy as np
import pytest

import kibitz
from kibitz import arena
from kibitz.core.agent import Agent
from kibitz.core.errors import SpecError
from kibitz.core.game import conceal, is_legal
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import agent_names, load_agent, load_game
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Game
from kibitz.games.tichu import GAME
from kibitz.games.tichu.best import BestAgent
from kibitz.games.tichu.cards import CALL, GIVE, PASS, TICHU, kind_of, other_action
from kibitz.games.tichu.judging import HABITS
from kibitz.games.tichu.state import (
    ANY,
    CALLING,
    DRAGON_TRICK,
    EXCHANGE,
    GRAND_CALLED,
    GRAND_CALLING,
    OVER,
    TICHU_CALLED,
    TURN,
    WAITING,
    WINDOW,
    WISHING,
)
from kibitz.games.tichu.text import format_action, parse_action
from kibitz.games.tichu.words import read_card
from kibitz.testing import Subject, check_agent_decides_view_by_view, some_positions, view_of

FULL, THESIS = load_game("tichu"), load_game("tichu:variant=thesis")
BOTS = ("random", "random:calls=never", "rule", "convention", "convention:weights=first")


def cards(words: str) -> np.uint64:
    """Read a set of cards."""
    return np.uint64(sum(1 << (read_card(word) or 0) for word in words.split()))


def position(*hands: str, turn: int = 0, game: Game = FULL) -> np.record:
    """Let a seat lead with these hands; all other cards were played."""
    state = game.blank(1)[0]
    held = [int(cards(hand)) for hand in hands]
    rest = [card for card in range(56) if not any(hand >> card & 1 for hand in held)]
    for seat, hand in enumerate(held):
        state.hand[seat] = hand
        for _ in range(14 - hand.bit_count()):
            state.played[seat] |= np.uint64(1 << rest.pop())
        if not hand:
            state.finished[seat] = 1 + np.count_nonzero(state.finished)
    state.given[:] = 1
    state.phase, state.turn, state.deciding, state.dealt = TURN, turn, 1 << turn, 1
    return state


def on_table(state: np.record, holder: int, words: str, kind: int, height: int) -> np.record:
    """Let cards that were played lie on the table."""
    state.table, state.laid[holder] = cards(words), cards(words)
    state.table_kind, state.table_length, state.table_height = kind, len(words.split()), height
    state.holder = holder
    return state


def answer(bot: str, state: np.record, seat: int = 0, game: Game = FULL) -> str:
    """Ask a bot what it does, in words."""
    action = int(load_agent(bot, game).decide(view_of(state, seat), seat).actions[0])
    assert is_legal(state, seat, action)
    return str(format_action(state, seat, action))


def dealt(*hands: str, phase: int = EXCHANGE) -> np.record:
    """Deal 14 cards to everybody, these among them, and let all decide."""
    state = FULL.blank(1)[0]
    held = [int(cards(hand)) for hand in hands]
    rest = [card for card in range(56) if not any(hand >> card & 1 for hand in held)]
    for seat, hand in enumerate(held):
        state.hand[seat] = hand
        for _ in range(14 - hand.bit_count()):
            state.hand[seat] |= np.uint64(1 << rest.pop(0))
    state.phase, state.deciding, state.dealt = phase, 0b1111, 1
    return state


def gifts(bot: str, state: np.record, seat: int = 0) -> list[str]:
    """Ask for the three cards that a bot gives: right, partner, left."""
    words = []
    for k in range(3):
        word = answer(bot, state, seat)
        words.append(word.removeprefix("give "))
        state.given[seat, k] = (read_card(words[-1]) or 0) + 1
    return words


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize(
    "spec", ["tichu", "tichu:variant=thesis", "tichu:calls=any,match=300,rounds=3"]
)
def test_bots_do_nothing_illegal(bot: str, spec: str) -> None:
    agent = load_agent(bot, load_game(spec))
    for table in some_positions(Subject(spec, games=12), 7, 200):
        for seat in table.movers:
            action = int(agent.decide(table.view(seat), seat).actions[0])
            assert is_legal(table.state, seat, action), (action, table)


@pytest.mark.parametrize("bot", BOTS)
def test_bots_decide_view_by_view(bot: str) -> None:
    check_agent_decides_view_by_view(load_agent(bot, FULL))


def test_the_games_own_random_bot_is_listed_once_and_people_meet_best() -> None:
    names = agent_names(GAME)
    assert names.count("random") == 1
    assert names[-4:] == ["random", "rule", "convention", "best"]


# random


def calls_of(agent: Agent) -> set[str]:
    """Collect what an agent answers at eight cards."""
    view = FULL.deal(seed=3).view(0)
    rngs = (derive(seed, Purpose.AGENT) for seed in range(50))
    actions = {int(agent.decide(view, 0, rng).actions[0]) for rng in rngs}
    return {str(format_action(view, 0, action)) for action in actions}


def test_random_calls_like_it_does_everything_else_unless_told_not_to() -> None:
    assert calls_of(load_agent("random", FULL)) == {"grand", "no grand"}
    assert calls_of(load_agent("random:calls=never", FULL)) == {"no grand"}
    with pytest.raises(SpecError, match="never"):
        load_agent("random:calls=often", FULL)


def test_random_that_never_calls_still_plays_everything_else() -> None:
    game = load_game("tichu:calls=any")
    agent = load_agent("random:calls=never", game)
    seen = set()
    for table in some_positions(Subject(game.spec, games=30), 9, 300):
        for seat in table.movers:
            action = int(agent.decide(table.view(seat), seat).actions[0])
            assert action != other_action(CALL, TICHU)
            seen.add(int(kind_of(action)))
    assert seen >= {0, CALL, GIVE}
    assert PASS in seen or not COMPILED  # uncompiled there are fewer positions


# rule


def test_rule_never_calls() -> None:
    strong = "Dr Ph AR AG AB AS KR KG"
    for phase in (GRAND_CALLING, CALLING):
        state = dealt(strong, "", "", "", phase=phase)
        assert answer("rule", state).startswith("no ")


def test_rule_gives_its_lowest_cards_to_opponents_and_its_highest_to_the_partner() -> None:
    state = dealt("2R 3G 5R 5G 6R 7R 8R 9R TR JR QR KR AR AG", "", "", "")
    assert gifts("rule", state) == ["2R", "AR", "3G"]
    state = dealt("Dog Ma 5R 5G 6R 7R 8R 9R TR JR QR AR Ph Dr", "", "", "")
    assert gifts("rule", state) == ["Dog", "Dr", "Ma"]


def test_rule_leads_most_cards_and_of_these_the_lowest() -> None:
    assert answer("rule", position("2R 4R 4G 4B 9R 9G KS", "3R", "3G", "3B")) == "4R 4G 4B 9R 9G"
    assert answer("rule", position("2R 8R 8G 6R 6G KS", "3R", "3G", "3B")) == "6R 6G"
    assert answer("rule", position("2R 8R KS Dog", "3R", "3G", "3B")) == "Dog"


def test_rule_plays_the_lowest_it_can_and_never_passes() -> None:
    table = on_table(position("5R 9R KS Ph Dr", "3R", "3G", "3B"), 3, "4R", 1, 8)
    assert answer("rule", table) == "5R"
    table = on_table(position("5R AS Ph Dr", "3R", "3G", "3B"), 2, "KR", 1, 26)
    assert answer("rule", table) == "AS", "also on the partner's"
    table = on_table(position("5R 6S Ph Dr", "3R", "3G", "3B"), 2, "KR", 1, 26)
    assert answer("rule", table) == "Ph"
    table = on_table(position("5R 6S", "3R", "3G", "3B"), 2, "KR", 1, 26)
    assert answer("rule", table) == "pass"


def test_rule_bombs_in_turn_if_nothing_else_goes_and_never_out_of_turn() -> None:
    state = position("6R 6G 6B 6S 8R 8G 8B 8S AS", "3R", "3G", "3B")
    assert answer("rule", on_table(state, 3, "KR", 1, 26)) == "AS"
    state = position("6R 6G 6B 6S 8R 8G 8B 8S 2S", "3R", "3G", "3B")
    assert answer("rule", on_table(state, 3, "KR", 1, 26)) == "6R 6G 6B 6S"
    state.phase, state.deciding, state.turn = WINDOW, 0b1111, 3
    assert answer("rule", state) in ("pass", "no bomb")


def test_rule_wishes_for_nothing_and_gives_the_dragon_to_the_right() -> None:
    state = on_table(position("5R 6S", "3R", "3G", "3B"), 0, "Ma", 1, 2)
    state.phase = WISHING
    assert answer("rule", state) == "no wish"
    state.phase = DRAGON_TRICK
    assert answer("rule", state) == "dragon right"


# convention


@pytest.mark.skipif(not COMPILED, reason="thirty rounds each")
@pytest.mark.parametrize(
    ("spec", "beside", "expected"),
    [
        ("tichu", "convention:weights=first", "93ca03d15403b72e"),
        ("tichu", "rule", "27699d8a0948e7bb"),
        ("tichu:variant=thesis", "convention:weights=first", "a4723b9d9dad11ff"),
    ],
)
def test_the_first_weights_play_as_they_did_move_for_move(
    spec: str, beside: str, expected: str
) -> None:
    game = load_game(spec)
    agents = [load_agent(bot, game) for bot in ("convention:weights=first", beside)] * 2
    digest = hashlib.sha256()
    for seed in range(30):
        table = game.deal(seed)
        kibitz.play_out(table, agents)
        digest.update(repr([(int(seat), int(action)) for seat, action in table.actions]).encode())
    assert digest.hexdigest()[:16] == expected


def test_convention_leads_low_and_keeps_its_high_cards() -> None:
    state = position("3R 9S AS Dr", "4R 5R 8R KR", "4G 5G 8G KG", "4B 5B 8B KB")
    assert answer("convention", state) == "3R"


def test_convention_cashes_what_surely_wins_before_its_last_loser() -> None:
    state = position("3R AS", "4R 5R", "4G 5G", "4B 5B")
    assert answer("convention", state) == "AS"


def test_convention_goes_out_when_it_can() -> None:
    state = position("8R 8G", "4R 5R 8S", "4G 5G", "4B 5B")
    assert answer("convention", state) == "8R 8G"
    state = on_table(position("QS", "4R 5R", "4G 5G", "4B 5B"), 2, "JS", 1, 22)
    assert answer("convention", state) == "QS", "also over the partner"


def test_convention_leaves_the_trick_to_its_partner() -> None:
    hands = ("3R 6S AS Dr", "4R 5R 8R QR", "4G 5G 8G", "4B 5B 8B QB")
    assert answer("convention", on_table(position(*hands), 2, "KS", 1, 26)) == "pass"


def test_convention_takes_an_opponents_trick_to_go_out() -> None:
    hands = ("3R AS", "4R 5R 8R QR", "4G 5G 8G", "4B 5B 8B QB")
    assert answer("convention", on_table(position(*hands), 1, "KS", 1, 26)) == "AS"


def test_convention_does_not_lead_a_single_to_one_card() -> None:
    hands = ("5R 6R 6G 9B TG", "KR", "4G 5G 8G 8S JS", "QB")
    assert answer("convention", position(*hands)) == "6R 6G"


def test_convention_does_not_go_out_before_a_partner_who_has_called() -> None:
    state = on_table(position("QS", "4R 5R", "AG 5G", "4B 5B"), 3, "JS", 1, 22)
    assert answer("convention", state) == "QS"
    state.call[2] = TICHU_CALLED
    assert answer("convention", state) == "pass"


def test_convention_gives_the_lead_to_a_partner_who_has_called_by_the_dog() -> None:
    state = position("Dog 3R 5S 9S JS KS", "4R 6R 8R KR", "4G 5G 8G KG", "4B 5B 8B KB")
    state.call[2] = TICHU_CALLED
    assert answer("convention", state) == "Dog"


def test_convention_gives_low_cards_to_opponents_and_a_high_one_to_the_partner() -> None:
    state = dealt("2R 3G 6R 6G 7R 7G 9R 9G TR TG QR QG KR AG", "", "", "")
    right, partner, left = gifts("convention", state)
    assert (right, left) == ("3G", "2R"), "odd to the right, even to the left"
    assert partner in ("KR", "AG")


def test_convention_gives_a_top_card_to_a_partner_who_has_called() -> None:
    state = dealt("2R 3G 5R 6G 7R 8G 9R 9G TR TG QR QG AG Dr", "", "", "")
    state.call[2] = 2
    assert gifts("convention", state)[1] in ("AG", "Dr")


def test_convention_calls_on_strong_hands_only() -> None:
    strong = dealt("Ma 5R 6G 7R 8G 9R KR KG AR AG AB AS Ph Dr", "", "", "", phase=CALLING)
    strong.given[:] = 1
    assert answer("convention", strong) == "tichu"
    strong.call[2] = TICHU_CALLED
    assert answer("convention", strong) == "no tichu", "not beside the partner"
    weak = dealt("Dog 2R 3G 5R 6G 7R 8G 9R 9G TR JG QR QG KB", "", "", "", phase=CALLING)
    weak.given[:] = 1
    assert answer("convention", weak) == "no tichu"


def test_convention_calls_before_its_first_card_but_not_when_it_is_late() -> None:
    state = dealt("Ma 5R 6G 7R 8G 9R KR KG AR AG AB AS Ph Dr", "3S", "", "", phase=TURN)
    state.given[:], state.deciding = 1, 1
    assert answer("convention", state) == "tichu"
    state.played[1], state.hand[1] = state.hand[1] & ~cards("3S"), cards("3S")
    assert answer("convention", state) != "tichu"


def test_convention_calls_grand_tichu_on_the_best_cards_only() -> None:
    for words, word in (("Ph Dr AR AG KR 7R 8R 9R", "grand"), ("Dr AR 2R 3R 5G 7R 8R JS", "no")):
        state = dealt(words, "", "", "", phase=GRAND_CALLING)
        state.stock[0] = state.hand[0] & ~cards(words)
        state.hand[0] = cards(words)
        assert answer("convention", state).startswith(word)


def test_convention_wishes_for_the_highest_rank_that_others_hold() -> None:
    state = position("3R 4S AR AG AB AS", "5R KR", "5G KG", "5B KB")
    state.phase = WISHING
    assert answer("convention", on_table(state, 0, "Ma", 1, 2)) == "wish K"
    state.given[0, 0] = (read_card("5R") or 0) + 1
    state.call[2] = TICHU_CALLED
    assert answer("convention", state) == "wish 5", "and not for what its partner needs"


def test_convention_never_wishes_for_what_it_gave_its_partner() -> None:
    state = position("3R 4S 7S", "5R 6R AR", "5G 6G AG KG", "5B 6B KB")
    state.phase = WISHING
    on_table(state, 0, "Ma", 1, 2)
    state.given[0] = [(read_card(card) or 0) + 1 for card in ("6R", "AG", "5B")]
    assert answer("convention:weights=first", state) == "wish A"
    assert answer("convention", state) == "wish 6", "the right one must lay it"


def test_convention_stops_an_opponent_with_one_card() -> None:
    hands = ("2R 5S 6G 9R JS QR KS AS", "4R", "4G 5G 8G TG KG", "4B 5B 8B KB")
    state = on_table(position(*hands), 1, "KR", 1, 26)
    assert answer("convention", state) == "AS"


def test_two_partners_do_not_call_at_the_same_question() -> None:
    hands = ("Ma 5R 6G 7R 8G 9R KR AR AG Dr", "", "Ph 5G 6R 7G 8R 9G KG KB AB AS", "")
    state = dealt(*hands, phase=CALLING)
    state.given[:] = 1
    state.given[0, 1], state.given[2, 1] = (1 + (read_card(card) or 0) for card in ("KB", "AG"))
    assert [answer("convention:weights=first", state, seat) for seat in (0, 2)] == ["tichu"] * 2
    assert [answer("convention", state, seat) for seat in (0, 2)] == ["tichu", "no tichu"]


def test_convention_keeps_the_dog_and_the_mah_jong_from_opponents() -> None:
    state = dealt("Dog Ma 2R 3G 6R 6G 7R 7G 9R 9G TR TG QR AG", "", "", "")
    right, _, left = gifts("convention", state)
    assert {right, left} == {"3G", "2R"}
    state = dealt("Dog Ma 2R 3G 6R 6G 7R 7G 9R 9G TR TG QR AG", "", "", "")
    assert "Dog" in gifts("convention:weights=first", state)


def test_convention_does_not_lead_the_phoenix_alone_or_break_a_bomb() -> None:
    hands = ("Ph 5R 9S JS KR", "4R 5S 8R KS", "4G 5G 8G KG", "4B 5B 8B KB")
    assert answer("convention", position(*hands)) != "Ph"
    hands = ("6R 6G 6B 6S 9R 9G TS", "4R 5S 8R KS", "4G 5G 8G KG", "4B 5B 8B KB")
    assert answer("convention", position(*hands)) not in ("6R", "6R 6G", "6R 6G 6B")


def test_convention_bombs_opponents_at_the_last_moment_and_never_its_partner() -> None:
    hands = ("6R 6G 6B 6S AS 3S", "4R 5R 8R QR", "4G 5G 8G", "4B 5B 8B QB")
    state = on_table(position(*hands), 1, "Dr", 1, 30)
    state.trick, state.phase, state.deciding = 45, WINDOW, 0b1111
    state.turn = 2
    assert answer("convention", state) in ("pass", "no bomb"), "the others may still play"
    state.turn = 1
    assert answer("convention", state) == "6R 6G 6B 6S"
    state.holder = state.turn = 2
    assert answer("convention", state) in ("pass", "no bomb")


def test_convention_bombs_in_turn_where_that_is_the_only_time() -> None:
    hands = ("6R 6G 6B 6S 3S", "4R 5R 8R QR", "4G 5G 8G", "4B 5B 8B QB")
    state = on_table(position(*hands, game=THESIS), 1, "AR", 1, 28)
    state.trick = 30
    assert answer("convention", state, game=THESIS) == "6R 6G 6B 6S"


def test_convention_gives_the_dragons_trick_to_the_opponent_with_more_cards() -> None:
    for right, left, word in (("4R 5R 8R", "4B", "right"), ("4R", "4B 5B", "left")):
        state = on_table(position("3R AS", right, "4G 5G", left), 0, "Dr", 1, 30)
        state.phase = DRAGON_TRICK
        assert answer("convention", state) == f"dragon {word}"


def test_convention_fulfils_a_wish() -> None:
    state = position("3R 9R 9G AS", "4R 5R 8R QR", "4G 5G 8G", "4B 5B 8B QB")
    state.wish = state.wished = 9
    assert "9" in answer("convention", state)


@pytest.mark.skipif(not COMPILED, reason="some hundred rounds")
@pytest.mark.parametrize("spec", ["tichu", "tichu:variant=thesis"])
def test_convention_beats_rule_by_far(spec: str) -> None:
    result = arena.play(spec, ["convention", "rule"], deals=500, seed=101)
    lead = result.standings()[0]
    assert lead.spec == "convention"
    assert lead.score.mean - lead.score.margin > 80


# what players are judged by


def judge(name: str, state: np.record, word: str, seat: int = 0) -> list[str]:
    """Say for each level of a habit whether an action follows it, leaves it, or neither."""
    (habit,) = (one for one in HABITS if one.name == name)
    views = FULL.blank(1)
    views[0] = view_of(state, seat)
    seen = habit.look(views, np.array([seat]), np.array([parse_action(state, seat, word)]))
    pairs = zip(seen.possible[0].tolist(), seen.done[0].tolist(), strict=True)
    return [("leaves", "follows")[done] if possible else "" for possible, done in pairs]


def test_passing_is_judged_where_an_opponent_with_few_cards_takes_the_trick() -> None:
    hands = ("3R AS", "4R", "4G 5G", "4B 5B")
    state = on_table(position(*hands), 1, "KR", 1, 26)
    assert judge("stop", state, "pass") == ["follows", ""]
    assert judge("stop", state, "AS") == ["leaves", ""]
    state = on_table(position(*hands), 3, "KR", 1, 26)
    assert judge("stop", state, "pass") == ["", ""], "others play after it"
    state.call[3] = TICHU_CALLED
    state.finished[1:3] = 1
    assert judge("caller", state, "pass") == ["", ""], "he is too late"
    state = on_table(position("3R QS", *hands[1:]), 1, "KR", 1, 26)
    assert judge("stop", state, "pass") == ["", ""], "it has no answer"


def test_gifts_are_judged_by_who_gets_what() -> None:
    state = dealt("Dog Ma 2R 3G 6R 6G 7R 7G 9R 9G TR TG QR AG", "", "", "")
    state.given[0, 0] = (read_card("Dog") or 0) + 1
    assert judge("low-gift", state, "give 7R") == ["follows"]
    assert judge("top-gift", state, "give AG") == ["follows"]
    state.given[0, 1] = (read_card("Ma") or 0) + 1
    assert judge("dog", state, "give 2R") == ["follows", "leaves"]
    assert judge("mah-jong", state, "give 2R") == ["leaves", "follows"]
    assert judge("low-gift", state, "give 2R") == [""], "that is for an opponent"


def test_leads_and_overtakings_are_judged() -> None:
    state = position("Ph 6R 6G 6B 6S AS", "4R", "4G 5G", "4B 5B")
    assert judge("phoenix", state, "Ph") == ["follows"]
    assert judge("bomb", state, "6R 6G") == ["follows"]
    assert judge("bomb", state, "6R 6G 6B 6S") == judge("bomb", state, "AS") == ["leaves"]
    state = on_table(state, 2, "KR", 1, 26)
    assert judge("overtake", state, "AS") == ["follows", ""]
    state.call[2] = TICHU_CALLED
    assert judge("overtake", state, "pass") == ["", "leaves"]


def test_wishes_and_calls_are_judged() -> None:
    state = on_table(position("3R 4S", "5R AR", "5G AG", "5B"), 0, "Ma", 1, 2)
    state.phase, state.given[0, 1] = WISHING, (read_card("AG") or 0) + 1
    assert judge("wish-gift", state, "wish A") == ["follows"]
    assert judge("wish", state, "no wish") == ["follows", "leaves"]
    state = dealt("Dr", "", "", "", phase=GRAND_CALLING)
    assert judge("calls", state, "grand") == ["follows", "", "", ""]
    state = dealt("Dr", "", "", "", phase=CALLING)
    assert judge("calls", state, "tichu") == ["", "follows", "", ""], "before the exchange"
    state.given[:] = 1
    assert judge("calls", state, "no tichu") == ["", "", "leaves", ""]


def test_calls_are_judged_where_they_are_asked_for() -> None:
    state = position("Dog 3R 4S", "5R AR", "5G AG", "5B")
    assert judge("calls", state, "tichu") == [""] * 4, "it has played"
    state.played[0] = 0
    assert judge("calls", state, "tichu") == ["", "", "", "follows"]
    assert judge("calls", state, "3R") == ["", "", "", "leaves"]
    state.phase, state.deciding = WINDOW, 15
    on_table(state, 2, "KR", 1, 26)
    assert judge("calls", state, "pass") == [""] * 4, "nobody asks"
    assert judge("calls", state, "tichu") == [""] * 4, "nor would leaving it count"
    state.calls = ANY
    assert judge("calls", state, "pass") == ["", "", "", "leaves"]


def test_the_dog_is_led_where_another_lead_is_possible() -> None:
    state = position("Dog 3R 4S", "5R AR", "5G AG", "5B")
    assert judge("dog-led", state, "Dog") == ["follows"]
    assert judge("dog-led", state, "3R") == ["leaves"]
    state.wish = 3
    assert judge("dog-led", state, "3R") == [""], "the wish binds"
    state = position("Dog", "5R AR", "5G AG", "5B")
    assert judge("dog-led", state, "Dog") == [""], "there is nothing else"
    state = on_table(position("Dog 3R AS", "5R AR", "5G AG", "5B"), 2, "KR", 1, 26)
    assert judge("dog-led", state, "AS") == [""], "that is no lead"


def test_calls_that_were_made_are_won_by_who_is_out_first() -> None:
    (won,) = (habit for habit in HABITS if habit.is_outcome)
    state = position("3R", "", "", "5B")
    state.call[:] = GRAND_CALLED, TICHU_CALLED, TICHU_CALLED, 0  # and seat 1 was out first
    views, seats, nothing = FULL.blank(4), np.arange(4), np.zeros(4, np.int64)
    views[:] = state
    assert not won.look(views, seats, nothing).possible.any(), "the round goes on"
    for phase in (WAITING, OVER):
        views["phase"] = phase
        seen = won.look(views, seats, nothing)
        assert seen.possible.tolist() == [[True, False], [False, True], [False, True], [False] * 2]
        assert seen.done.tolist() == [[False, False], [False, True], [False, False], [False] * 2]


# best and caller


def test_best_is_far_ahead_of_rule() -> None:
    agents = [load_agent(spec, FULL) for spec in ("best", "rule")]
    score = arena.play(FULL, agents, 60 if COMPILED else 2, 5).sample.score(0)
    assert score.mean > (60 if COMPILED else -800)


def late_questions() -> list[tuple[np.record, int]]:
    """Return what seats see in a round of `rule` whenever they have a choice."""
    table, asked = FULL.deal(seed=5), []
    while not table.is_over:
        seat = table.movers[0]
        asked.append((table.view(seat), seat))
        table.play(seat, int(load_agent("rule", FULL).decide(*asked[-1]).actions[0]))
    return asked


def test_best_looks_ahead_where_it_is_in_doubt_and_only_there() -> None:
    alone, ahead = (load_agent(f"best:worlds={n},plies=2", FULL) for n in (0, 8))
    looked = 0
    for view, seat in late_questions()[:: 1 if COMPILED else 40]:
        plain, found = alone.decide(view, seat), ahead.decide(view, seat)
        assert found.values is not None
        if np.isfinite(found.values).any():
            looked += 1
            assert np.isfinite(found.values).sum() > 1
        else:
            assert found.actions[0] == plain.actions[0]
    assert looked > 3 or not COMPILED


def test_looking_ahead_to_the_end_gives_results_of_rounds() -> None:
    agent = load_agent("best:worlds=3,plies=1000", FULL)
    assert isinstance(agent, BestAgent)
    state = position("AS 3R 3G", "5R 6R", "5G 6G", "5B 6B")
    state.given[:] = 0
    conceal(state, 0)
    actions = np.array([int(cards("AS")), int(cards("3R 3G"))])
    found = agent.look_ahead(state, 0, actions, derive(1, Purpose.AGENT))
    assert found.shape == (3, 2)
    assert (found % 5 == 0).all()
    assert (abs(found) <= 200).all()


@pytest.mark.parametrize(
    "wrong", ["worlds=-1", "near=2", "plies=-1", "heat=-1", "prior=-1", "worlds=8,temperature=1"]
)
def test_best_refuses_what_makes_no_sense(wrong: str) -> None:
    with pytest.raises(SpecError):
        load_agent(f"best:{wrong}", FULL)


def test_a_caller_answers_by_its_models_and_plays_as_the_player_below() -> None:
    table, rng = FULL.deal(seed=3), derive(1, Purpose.AGENT)
    view = table.view(0)
    for cutoff, word in ((0.0, "grand"), (1.0, "no grand")):
        agent = load_agent(f"caller:of=rule,grand_cutoff={cutoff}", FULL)
        assert format_action(view, 0, int(agent.decide(view, 0, rng).actions[0])) == word
    for seat in range(4):
        table.play(seat, "no grand")
    while table.state.phase != TURN:
        seat = table.movers[0]
        table.play(seat, table.legal(seat)[0])
    seat = table.movers[0]
    both = [
        load_agent(spec, FULL).decide(table.view(seat), seat, rng)
        for spec in ("caller", "convention")
    ]
    assert both[0].actions[0] == both[1].actions[0]
