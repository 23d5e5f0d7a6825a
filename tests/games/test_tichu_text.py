"""Tichu as text: what people type, what they are told, and lines that cannot be."""

import random
from collections.abc import Iterator

import numpy as np
import pytest
from rich.console import Console, RenderableType

import kibitz
from kibitz.cli.person import Menu
from kibitz.core.errors import IllegalAction, PositionError
from kibitz.core.game import (
    SPECTATOR,
    apply,
    conceal,
    deal,
    is_over,
    movers,
    random_action,
    resample,
)
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Game, Origin, Table
from kibitz.games.tichu.cards import ALL_CARDS, CARDS
from kibitz.games.tichu.state import WINDOW, card_points
from kibitz.games.tichu.words import CARD_WORDS, cards_text, members, read_card, set_of
from kibitz.review.telling import Chronicle

pytestmark = pytest.mark.compiled

SPECS = ["tichu", "tichu:variant=thesis", "tichu:match=200,rounds=3", "tichu:calls=any"]


def cards(words: str) -> int:
    """Read a set of cards."""
    found = [read_card(word) for word in words.split()]
    assert None not in found
    return set_of(card for card in found if card is not None)


def line(own: str, *, lies: str = "-", below: str = "", **more: str) -> str:
    """Write a position in which seat 0 is on turn; seat 3 has laid what lies there.

    Args:
        own: cards of seat 0; it has played the first free ones of the others.
        lies: what is on the table, such as `8R.8G`.
        below: more cards that seat 3 has played.
        more: other words of the position.
    """
    hand, laid = cards(own), cards(lies.partition(">")[0].replace(".", " ")) if lies != "-" else 0
    played = [0, 0, 0, laid | cards(below)]
    free = members(int(ALL_CARDS) & ~hand & ~played[3])
    played[0] = set_of(free[: 14 - hand.bit_count()])
    free = free[14 - hand.bit_count() :]
    hands = [hand, set_of(free[:14]), set_of(free[14:28]), set_of(free[28:])]
    points = [int(card_points(np.uint64(pile))) for pile in played]
    trick = int(card_points(np.uint64(laid)))
    words = {
        "round": "1",
        "phase": "play",
        "turn": "0",
        "hands": "/".join(cards_text(pile, between=".") or "-" for pile in hands),
        "played": "/".join(cards_text(pile, between=".") or "-" for pile in played),
        "laid": f"-/-/-/{cards_text(laid, between='.') or '-'}",
        "table": lies,
        "holder": "3" if laid else "0",
        "won": f"{points[0]}/0/0/{points[3] - trick}",
        "trick": str(trick),
    }
    return " ".join(f"{key}={value}" for key, value in (words | more).items())


def at(own: str, lies: str = "-", below: str = "", **more: str) -> Table:
    """Open a table at such a position."""
    deals = (line(own, lies=lies, below=below, **more),)
    return Table(kibitz.load_game("tichu"), Origin(0, deals=deals), plays_forced=False)


def typed(table: Table, text: str) -> str:
    """Read what seat 0 types, and write it in full."""
    action = table.game.text.parse_action(table.state, 0, text)
    written: str = table.game.text.format_action(table.state, 0, action)
    return written


@pytest.mark.parametrize("card", range(CARDS))
def test_every_card_can_be_written_and_read(card: int) -> None:
    assert read_card(CARD_WORDS[card]) == read_card(CARD_WORDS[card].upper()) == card


@pytest.mark.parametrize(
    ("typed", "card"),
    [("10b", "TB"), ("tb", "TB"), ("1", "Ma"), ("dragon", "Dr"), ("phoenix", "Ph")],
)
def test_people_may_write_cards_in_other_ways(typed: str, card: str) -> None:
    assert read_card(typed) == read_card(card)


HAND = "5R 6R 7G 8B 8S 9S 9G 9B Ph TR JR"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5R 6R 7G Ph=8 9S", "5R 6R 7G Ph=8 9S"),
        ("5r, 6r 7g ph 9s", "5R 6R 7G Ph=8 9S"),
        ("8B 8S 9S 9G Ph", "8B 8S 9G 9S Ph=9"),
        ("8B 8S 9S 9G Ph=8", "8B 8S Ph=8 9G 9S"),
        ("7G 8B 9S 10R Ph", "7G 8B 9S TR Ph=J"),
        ("7G 8B 9S TR Ph=6", "Ph=6 7G 8B 9S TR"),
        ("ph", "Ph"),
        ("ph jr", "JR Ph=J"),
        ("5 6 7 8 9", "5R 6R 7G 8B 9G"),
        ("5 6 7 ph 9", "5R 6R 7G Ph=8 9G"),
        ("9 9 9 8 8", "8B 8S 9G 9B 9S"),
        ("10", "TR"),
        ("play 8B 8S", "8B 8S"),
        ("8B 8", "8B 8S"),
    ],
)
def test_cards_are_read_with_what_is_left_out(text: str, meant: str) -> None:
    assert typed(at(HAND), text) == meant


def test_the_phoenix_stands_for_what_beats_the_table() -> None:
    table = at("7G 8B 9S TR Ph AR", lies="2R.3R.4R.5R.6G")
    assert typed(table, "7G 8B 9S TR Ph") == "7G 8B 9S TR Ph=J"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("p", "pass"),
        ("no bomb", "pass"),
        ("TICHU", "tichu"),
        ("grand tichu", "grand"),
        ("no grand", "no grand"),
        ("no tichu", "no tichu"),
        ("give ks", "give KS"),
        ("wish 10", "wish T"),
        ("wish q", "wish Q"),
        ("wish none", "no wish"),
        ("dragon left", "dragon left"),
    ],
)
def test_other_actions_have_their_words(text: str, meant: str) -> None:
    assert typed(at(HAND), text) == meant


@pytest.mark.parametrize(
    "text",
    ["", "5", "zz", "5R 5R", "Ph=1", "Ph=", "5R=8", "wish 1", "wish", "give", "4 4", "🂡", "=" * 50]
    + ["give 5R 6R", "dragon up", "Ph=8 Ph=9", "no", "5R;6R"],
)
def test_what_is_no_action_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        typed(at("6R 7G Ph"), text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("own", "lies", "text", "reason"),
    [
        ("5R 6R 7G 8B", "-", "5R 6R 7G 8B", "a straight needs 5 or more in a row"),
        ("5R 6R 7G 9B TR", "-", "5R 6R 7G 9B TR", "a straight has no gaps: 8 is missing"),
        ("5R 7S", "-", "5R 7S", "these cards are no combination"),
        ("8R 8G", "9R.9G", "8R 8G", "it does not beat the pair of nines on the table"),
        ("8R 8G", "7R", "8R 8G", "only a higher single card or a bomb beats the 7 on the table"),
        ("7R Ph", "Dr", "Ph", "it does not beat the Dragon on the table"),
        ("7R Ma", "Ph>8", "7R", "it does not beat the Phoenix above 8 on the table"),
        ("7R Dog", "6S", "Dog", "the Dog may only be led"),
        ("7R Dog", "-", "7R Dog", "the Dog is played alone"),
        ("7R Dr", "-", "7R Dr", "the Dragon is played alone"),
        ("7R Ma", "-", "7R Ma", "these cards are no combination"),
        ("7R 7G Ma", "-", "7R 7G Ma",
         "the Mah Jong is played alone or at the beginning of a straight"),
        ("7R 7G 7B Ph", "-", "7R 7G 7B Ph=7", "the Phoenix makes no bomb"),
        ("7R", "-", "pass", "who leads must play something"),
        ("7R", "-", "8R", "you do not hold 8R"),
        ("7R", "-", "wish 8", "it is a turn to play cards or to pass"),
        ("4R 5R 6R 7R 8S 9G", "2R.3R.4G.5G.6G", "4R 5R 6R 7R 8S 9G",
         "it must have 5 cards to beat the straight of 5 up to 6 on the table"),
        ("2R 2G 2B 2S", "3R.3G.3B.3S", "2R 2G 2B 2S",
         "it does not beat the bomb of four threes on the table"),
        ("AR AG", "3R.3G.3B.3S", "AR AG",
         "only a higher bomb beats the bomb of four threes on the table"),
        ("AR", "5R.5G.6R.6G", "AR",
         "only a higher row of pairs or a bomb beats the 2 pairs in a row up to sixes"
         " on the table"),
    ],
)  # fmt: skip
def test_a_refused_action_is_explained(own: str, lies: str, text: str, reason: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        at(own, lies).play(0, text)
    assert str(caught.value).endswith(f": {reason}")


@pytest.mark.parametrize("text", ["pass", "TR"])
def test_a_wish_that_binds_names_a_play(text: str) -> None:
    table = at("8R TR", "7S", below="Ma", wish="8", wished="8")
    with pytest.raises(IllegalAction) as caught:
        table.play(0, text)
    assert "the wish for 8 must be fulfilled: you can play 8R" in str(caught.value)


def test_calls_and_gifts_that_are_refused_are_explained() -> None:
    table = kibitz.load_game("tichu").deal(3)
    with pytest.raises(IllegalAction, match="the question is: grand or no grand"):
        table.play(0, "pass")
    for seat in range(4):
        table.play(seat, "no grand")
    for seat in range(4):
        table.play(seat, "tichu" if seat == 0 else "no tichu")
    held = table.text(table.legal(0)[0], 0).removeprefix("give ")
    with pytest.raises(IllegalAction, match="you have called already"):
        table.play(0, "tichu")
    table.play(0, held)
    with pytest.raises(IllegalAction, match=f"you have given {held} already"):
        table.play(0, f"give {held}")


def random_states(spec: str, seed: int, n: int) -> Iterator[tuple[Game, np.record]]:
    """Yield states of random games, a few of each."""
    game, rng, pick = kibitz.load_game(spec), derive(seed, Purpose.PLAYOUT), random.Random(seed)
    state = game.blank(1)[0]
    while n:
        if not movers(state):
            if is_over(state):
                state = game.blank(1)[0]
            deal(state, rng)
        seat = pick.choice([seat for seat in range(4) if int(movers(state)) >> seat & 1])
        apply(state, seat, random_action(state, seat, rng))
        if pick.random() < 0.1 or (state.phase != WINDOW and pick.random() < 0.3):
            n -= 1
            yield game, state


@pytest.mark.parametrize("spec", SPECS)
def test_states_views_and_worlds_survive_their_line(spec: str) -> None:
    rng, pick = derive(5, Purpose.PLAYOUT), random.Random(5)
    for game, state in random_states(spec, 1, 150 if COMPILED else 10):
        seat, view = pick.randrange(SPECTATOR, 4), state.copy()
        conceal(view, seat)
        world = view.copy()
        resample(world, seat, rng)
        for one in (state, view, world):
            text = game.text.format_position(one)
            assert len(text) < 1500
            assert game.parse(text).tobytes() == one.tobytes(), text


def mutate(text: str, pick: random.Random) -> str:
    """Change something in a line."""
    words = text.split(" ")
    for _ in range(pick.randint(1, 3)):
        i = pick.randrange(len(words))
        key, _, value = words[i].partition("=")
        parts = value.split("/")
        pick.shuffle(parts)
        place = pick.randrange(len(words[i]) + 1)
        words[i] = pick.choice(
            [
                f"{key}={'/'.join(parts)}",
                f"{key}={pick.choice(['-', '?', '?/?/?/?', '3', '9' * 30, 'play', 'window', 'A'])}",
                words[i][:place]
                + pick.choice("0123456789AKT.-/?=RSPhMa;,")
                + words[i][place + 1 :],
                f"{words[i]} {words[i]}",
                "",
                key,
            ]
        )
    return " ".join(words)


def test_changed_lines_are_refused_in_a_sentence_or_can_be_played() -> None:
    pick, rng = random.Random(7), derive(7, Purpose.PLAYOUT)
    accepted = 0
    complaints: list[str] = []
    for game, state in random_states("tichu", 7, 250 if COMPILED else 25):
        seat = pick.randrange(SPECTATOR, 4)
        if pick.random() < 0.5:
            conceal(state := state.copy(), seat)
        text = mutate(game.text.format_position(state), pick)
        try:
            found = game.parse(text)
        except PositionError as error:
            complaints.append(str(error))
            continue
        accepted += 1
        again = game.text.format_position(found)
        assert game.parse(again).tobytes() == found.tobytes(), text
        if "?" in again:
            shown = [other for other in range(4) if found.hand[other]]
            resample(found, shown[0] if len(shown) == 1 else SPECTATOR, rng)
        for _ in range(game.max_actions):
            if not movers(found):
                break
            mover = (int(movers(found)) & -int(movers(found))).bit_length() - 1
            apply(found, mover, random_action(found, mover, rng))
        assert not movers(found), text
    assert accepted > 0
    assert len(complaints) > 0
    assert not any("\n" in complaint for complaint in complaints)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"played": "5R/-/-/-"}, "5R is in two places"),
        ({"hands": "5R.5R/?/?/?"}, "5R is there twice"),
        ({"hands": "5R/?/?"}, "expected those of 4 seats, got 3"),
        ({"hands": "?/?/?/?", "played": "-/-/-/-", "won": "5/0/0/0"},
         "must add up to the 0 points"),
        ({"hands": "5R.1X/?/?/?"}, "'1X' is not a card"),
        ({"turn": "4"}, "expected a number from 0 to 3, got '4'"),
        ({"turn": "99999999999999999999"}, "expected a number from 0 to 3"),
        ({"round": "2"}, "this game has at most 1"),
        ({"phase": "bidding"}, "unknown word 'bidding'"),
        ({"phase": "window"}, "something must lie there"),
        ({"phase": "over"}, "the round is not over"),
        ({"wish": "8"}, "what was wished for"),
        ({"wished": "8"}, "a wish is made with the Mah Jong"),
        ({"given": "5R.?.?/-/-/-"}, "given"),
        ({"calls": "tichu/tichu/grand/none"}, "unknown word 'none'"),
        ({"table": "5R.6R"}, "is no combination"),
        ({"out": "0/1/0/0"}, "seat 1 has played 0 of 14 cards"),
        ({"total": "5/5"}, "before the first round has ended nobody has points"),
        ({"tricks": "1/2/3"}, "expected 4 numbers, got 3"),
        ({"pending": "pass/-/-/-"}, "nothing waits here"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"misfits": "-1"}, "expected a number from 0 to 116"),
        ({"passed": "1.2/-/-/-"}, "expected 7 numbers, got 2"),
        ({"denials": "1,pair"}, "expected seat,kind,length,height,cards"),
    ],
)  # fmt: skip
def test_impossible_positions_are_refused(more: dict[str, str], why: str) -> None:
    with pytest.raises(PositionError, match=why):
        kibitz.load_game("tichu").parse(line("5R 6R 7R", **more))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("round=2 phase=wait total=3/0", "points count in fives"),
        ("round=2 phase=wait total=405/0", "no round gives so many"),
        ("round=2 phase=wait points=0/-430", "a least number"),
    ],
)
def test_points_are_those_of_rounds(text: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        kibitz.load_game("tichu:match=1000").parse(text)


@pytest.mark.parametrize("text", ["", "phase", "phase=", "=", "round=1", "phase=wait phase=wait"])
def test_lines_without_words_are_refused(text: str) -> None:
    with pytest.raises(PositionError):
        kibitz.load_game("tichu").parse(text)


def drawn(drawing: RenderableType, colour: bool = False) -> str:
    console = Console(width=100, force_terminal=colour, color_system="standard" if colour else None)
    with console.capture() as capture:
        console.print(drawing)
    return capture.get()


def test_the_table_fits_and_shows_what_matters() -> None:
    table = at("8R 8G TR", "7S.7B", below="Ma", wish="8", wished="8", calls="tichu/-/grand/-")
    text = drawn(table.render(0))
    assert max(map(len, text.splitlines())) <= 100
    for words in ("seat 2, partner", "seat 1, right", "seat 3, left", "TICHU", "GRAND", "wish: 8"):
        assert words in text
    assert "pair of sevens, laid by seat 3" in text
    assert "8R" in text
    assert "\x1b[" in drawn(table.render(0), colour=True)


def test_equal_ranks_stand_above_each_other_and_neighbours_side_by_side() -> None:
    rows = drawn(at("3R 4G 4B 6S Dr").render(0)).splitlines()
    bottom = next(row for row in rows if "3R 4G" in row)
    above = rows[rows.index(bottom) - 1]
    assert "3R 4G  · 6S Dr" in bottom
    assert above.index("4B") == bottom.index("4G")


@pytest.mark.parametrize("spec", SPECS)
def test_every_view_can_be_drawn(spec: str) -> None:
    for game, state in random_states(spec, 3, 25 if COMPILED else 3):
        for seat in range(SPECTATOR, 4):
            view = state.copy()
            conceal(view, seat)
            assert max(map(len, drawn(game.render(view, seat)).splitlines())) <= 100


def test_hidden_hands_are_not_drawn() -> None:
    table = kibitz.load_game("tichu").deal(1)
    others = int(sum(int(table.state.hand[seat]) for seat in (1, 2, 3)))
    text = drawn(table.render(0))
    assert not any(f" {CARD_WORDS[card]} " in text for card in members(others))


def test_a_person_types_cards_and_sees_kinds_of_plays() -> None:
    table = at("3R 4G 5G 6S 7B 7R 8R 9R Ph AS AG AR KR KG")
    menu = Menu(table.game, table.view(0), 0)
    text = drawn(menu)
    for words in ("singles", "pairs", "straights", "3-7", "* with the Phoenix"):
        assert words in text
    assert len(text.splitlines()) < 12
    assert "play cards" in menu.question
    assert "Ph=8" in menu.help
    assert table.text(menu.read("7")) == "7R"
    assert menu.quits("q")
    assert not menu.quits("Q")


def test_a_few_plays_are_written_out_and_short_questions_are_numbered() -> None:
    table = at("8R 9R", "7S")
    assert "8R" in drawn(Menu(table.game, table.view(0), 0))
    asked = Menu(table.game, kibitz.load_game("tichu").deal(1).view(0), 0)
    assert asked.is_numbered
    assert asked.texts == ["no grand", "grand"]


def test_windows_without_a_bomb_and_calls_not_made_are_no_news() -> None:
    table = kibitz.load_game("tichu").deal(2)
    text, state = table.game.text, table.state
    for word, is_told in (("no tichu", False), ("no grand", False), ("tichu", True)):
        assert bool(text.tell(state, 0, text.parse_action(state, 0, word), 1)) == is_told
    turn = at("8R", "7S")
    passing = text.parse_action(turn.state, 0, "pass")
    assert str(text.tell(turn.state, 0, passing, 1)) == "passes"
    turn.play(0, "pass")
    window = at("8R 8G 8B 8S", "7S").state
    window.phase = WINDOW
    assert not text.tell(window, 0, passing, 1)


def test_a_log_marks_bombs_tricks_and_who_is_out() -> None:
    table = at("8R 8G 8B 8S", "7S")
    table.play(0, "8R 8G 8B 8S")
    while not table.state.tricks.any():
        table.play(table.movers[0], "pass")
    chronicle = Chronicle(table, 1)
    chronicle.follow()
    bomb = chronicle.events[0]
    assert str(bomb.message) == "bomb 8R 8G 8B 8S"
    assert list(map(str, bomb.outcome)) == ["seat 0 is out first"]
    outcomes = [str(one) for event in chronicle.events for one in event.outcome]
    assert outcomes[-1] == "seat 0 takes the trick, 0 points"
