"""Sheephead as text: what people type, what they are told, and lines that cannot be."""

import random
import re
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
    is_legal,
    is_over,
    movers,
    random_action,
    resample,
)
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Game
from kibitz.core.wording import say
from kibitz.games.sheephead.cards import CARDS, JOKER, N_ACTIONS
from kibitz.games.sheephead.reasons import LEGAL
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    OVER,
    PLAYING,
)
from kibitz.games.sheephead.words import CARD_WORDS, members, read_card, show_card
from kibitz.review.telling import Chronicle
from tests.games.sheephead_hands import SPECS, at, line

pytestmark = pytest.mark.compiled

CALLER = {0: "QC QS JD 9C KS 8S", 1: "AC 10C KC 7C AD 9D", 2: "AS 9S AH KH 9H joker"}
CALLER_BLIND = "7H 8H"
CALLED = ("pick", "bury 7H 8H", "call AC")  # seat 1 is the partner, seat 0 leads
ACER = {0: "QC QS JD JC AC 10C", 1: "AS 7S KC 7C KH 8H", 2: "joker 9H AH 8S 9S KS"}
ACER_BLIND = "8D 9D"
UNKNOWN = ("pick", "bury 8D 9D", "unknown JD call AS")
UNKNOWN_PLAYS = ("JC", "7C", "joker", "KD", "AD", "8S", "10S", "QD", "JD")
ALL_ACES = {0: "QC QS AC AS AH 10H"}
ALL_ACES_BLIND = "7C 8D"


def typed(text: str, phase: int = PLAYING) -> str:
    """Read what somebody types, and write it in full."""
    state = kibitz.load_game("sheephead").blank(1)[0]
    state.phase = phase
    game = kibitz.load_game("sheephead")
    written: str = game.text.format_action(state, 0, game.text.parse_action(state, 0, text))
    return written


@pytest.mark.parametrize("card", range(CARDS))
def test_every_card_can_be_written_and_read(card: int) -> None:
    for word in (CARD_WORDS[card], CARD_WORDS[card].lower(), show_card(card)):
        assert read_card(word) == card


@pytest.mark.parametrize("word", ["joker", "JOKER", "spitz", "Spitz", "7d", "7♦"])
def test_the_joker_has_many_names(word: str) -> None:
    assert read_card(word) == JOKER


@pytest.mark.parametrize("word", ["th", "10♥", "10♥\ufe0f", "10♡", "10H"])
def test_people_may_write_cards_in_other_ways(word: str) -> None:
    assert read_card(word) == read_card("10H")


def test_every_action_can_be_written_and_read() -> None:
    game = kibitz.load_game("sheephead")
    state = game.blank(1)[0]
    for action in range(N_ACTIONS):
        written = game.text.format_action(state, 0, action)
        for text in (written, written.upper(), f"  {written} "):
            assert game.text.parse_action(state, 0, text) == action


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("bury 10h ah", "bury AH 10H"),
        ("bury 10♥, A♥", "bury AH 10H"),
        ("bury spitz 7c", "bury joker 7C"),
        ("unknown 8d call ac", "unknown 8D call AC"),
        ("unknown 8d ac", "unknown 8D call AC"),
        ("8d call ac", "unknown 8D call AC"),
        ("play qc", "QC"),
        ("re-crack", "crack"),
        ("no crack", "pass"),
        ("red blitz", "blitz red"),
        ("no blitz", "pass"),
    ],
)
def test_people_may_write_actions_in_other_ways(text: str, meant: str) -> None:
    assert typed(text) == meant


@pytest.mark.parametrize("phase", [BIDDING, BLITZING, CRACKING])
def test_a_word_that_is_no_answer_hears_the_question(phase: int) -> None:
    with pytest.raises(PositionError, match="^the question is: .*, got 'p'"):
        typed("p", phase)


def test_the_first_word_may_be_left_out_where_only_one_thing_is_meant() -> None:
    assert typed("7c qc", BIDDING + 1) == "bury QC 7C"
    assert typed("ac", DECLARING) == "call AC"
    assert typed("8d ac", DECLARING) == "unknown 8D call AC"
    assert typed("both", BLITZING) == "blitz both"
    assert typed("10h", DECLARING) == "call 10H"
    assert typed("10h") == "10H"


@pytest.mark.parametrize("word", ["clubs", "CLUBS", "club", "c", "♣"])
def test_a_suit_is_called_by_its_ace(word: str) -> None:
    assert typed(f"call {word}", DECLARING) == typed(word, DECLARING) == "call AC"
    assert typed(f"unknown 8d call {word}", DECLARING) == "unknown 8D call AC"


def test_a_suit_is_called_by_its_ten_by_who_has_all_aces() -> None:
    for bury in ("AS 8D", "QS 8D"):
        table = at(ALL_ACES, "pick", f"bury {bury}", blind=ALL_ACES_BLIND)
        menu = Menu(table.game, table.view(0), 0)
        assert table.text(menu.read("call clubs")) == "call 10C"


@pytest.mark.parametrize(
    ("text", "phase", "sentence"),
    [
        ("bury", BURYING, "two cards are buried, got no card: such as bury 7C 8S"),
        ("bury ah", BURYING, "two cards are buried, got one: such as bury AH 8S"),
        ("bury xx", BURYING, "two cards are buried, got one: such as bury 7C 8S"),
        ("bury ah 10h 9h", BURYING, "two cards are buried, got 3: such as bury 7C 8S"),
        ("bury", DECLARING, "call a card, such as call AC, or play alone"),
        ("call", DECLARING, "which card? such as call AC, or call clubs"),
        ("unknown", DECLARING, "which card is laid face down, and which ace is called?"),
        ("unknown 8d", DECLARING, "which ace is called with the card face down?"),
        ("unknown 8d call", DECLARING, "which ace is called with the card face down?"),
        ("blitz", BLITZING, "which queens? such as blitz black"),
        ("blitz QC", BLITZING, "which queens? such as blitz black"),
        ("call diamonds", DECLARING, "an ace or a ten of clubs, spades or hearts is called"),
    ],
)
def test_what_is_only_begun_is_told_what_is_missing(text: str, phase: int, sentence: str) -> None:
    with pytest.raises(PositionError) as caught:
        typed(text, phase)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("phase", range(10))
@pytest.mark.parametrize(
    "text",
    ["", " ", "11H", "QX", "bury", "bury AH", "bury AH AH", "bury AH 10H 9H", "call", "call QC"]
    + ["call 9C", "unknown", "unknown 8D", "unknown 8D call 10H", "unknown xx call AC", "pick up"]
    + ["7", "10", "-", "?", "blitz", "AH 10H QC", "🂡", "=" * 100, "bury call AC"]
    + ["call call", "\x00"],
)
def test_what_is_no_action_is_refused_in_one_sentence(text: str, phase: int) -> None:
    with pytest.raises(PositionError) as caught:
        typed(text, phase)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def refused(
    hands: dict[int, str], blind: str, done: tuple[str, ...], text: str, options: str = ""
) -> str:
    """Return the end of the message with which an action is refused."""
    table = at(hands, *done, blind=blind, spec=f"sheephead:{options}" if options else "sheephead")
    with pytest.raises(IllegalAction) as caught:
        table.play(table.movers[0], text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("done", "text", "reason"),
    [
        ((), "QC", "the question is: pick or pass"),
        ((), "crack", "the question is: pick or pass"),
        (("pick",), "pass", "bury two cards, such as bury 7C 8S"),
        (("pick",), "bury QC AC", "you do not hold A♣"),
        (("pick", "bury 7H 8H"), "bury QC QS", "call a card, such as call AC, or play alone"),
        (("pick", "bury 7H 8H"), "call AH",
         "you must keep a card of the called suit, and have no heart"),
        (("pick", "bury 7H 8H"), "call 10C", "a ten is called only by who holds all three aces"),
        (("pick", "bury 7H 8H"), "unknown JD call AC",
         "you hold clubs, spades and hearts without the ace: call A♣ or A♠, or play alone"),
        (CALLED, "pass", "play a card, such as QC"),
        (CALLED, "7H", "you have buried 7♥"),
        (CALLED, "AC", "you do not hold A♣"),
        ((*CALLED, "QC"), "AC", "trump was led and you hold A♦ 9♦"),
        ((*CALLED, "9C"), "7C", "the called card must be played, its suit is led: A♣"),
        ((*CALLED, "KS"), "AC",
         "A♣ is called: it may not be thrown on another suit before clubs were led"),
        ((*CALLED, "KS", "AD", "9S", "7S", "10D"), "10C",
         "A♣ is called: you may lead clubs only with it"),
        ((*CALLED, "JD", "9D", "joker", "KD", "10D", "9H", "10H", "QD"), "9C",
         "you must keep a card of the called suit until it is led: 9♣"),
    ],
)  # fmt: skip
def test_a_refused_action_is_explained(done: tuple[str, ...], text: str, reason: str) -> None:
    assert refused(CALLER, CALLER_BLIND, done, text).endswith(f": {reason}")


@pytest.mark.parametrize(
    ("done", "text", "reason"),
    [
        (UNKNOWN[:2], "call AC", "you hold A♣ yourself: to play without a partner, say alone"),
        (UNKNOWN[:2], "unknown JD call AC",
         "you hold A♣ yourself: to play without a partner, say alone"),
        (UNKNOWN[:2], "call AS", "you have no spade: a card is laid face down for it, "
         "such as unknown 10C call AS"),
        (UNKNOWN[:2], "unknown 8D call AS", "you do not hold 8♦"),
        (UNKNOWN[:2], "call 10S", "a ten is called only by who holds all three aces"),
        (("pick", "bury AC 8D"), "call AC",
         "you buried A♣ yourself: to play without a partner, say alone"),
        ((*UNKNOWN, "JC", "7C", "joker", "KD", "AD", "9H", "10H", "QD"), "JD",
         "your unknown card, J♦, waits until spades are led"),
        ((*UNKNOWN, "JC", "7C", "joker", "KD", "AD", "8S", "10S", "QD"), "QC",
         "the called suit is led: play your unknown card, J♦"),
    ],
)  # fmt: skip
def test_calls_and_plays_with_an_unknown_card_are_explained(
    done: tuple[str, ...], text: str, reason: str
) -> None:
    assert refused(ACER, ACER_BLIND, done, text).endswith(f": {reason}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("call 10H", "you hold 10♥ yourself: to play without a partner, say alone"),
        ("call 10S", "you must keep a card of the called suit, and have no spade"),
        ("call AH", "you hold A♥ yourself: to play without a partner, say alone"),
    ],
)
def test_calls_of_a_ten_are_explained(text: str, reason: str) -> None:
    done = ("pick", "bury AS 8D")
    assert refused(ALL_ACES, ALL_ACES_BLIND, done, text).endswith(f": {reason}")
    at(ALL_ACES, *done, "call 10C", blind=ALL_ACES_BLIND)


@pytest.mark.parametrize(
    ("hands", "blind", "done", "text", "options", "reason"),
    [
        (CALLER, CALLER_BLIND, ("pass",) * 4, "pass", "pass=forced",
         "the dealer must pick where nobody else did"),
        (CALLER, CALLER_BLIND, ("pick",), "bury QC 9C", "bury=fail",
         "trump is buried only for want of fail cards, and you hold K♠ 8♠ 8♥ 7♥"),
        (ACER, ACER_BLIND, UNKNOWN[:2], "unknown JD call AS", "unknown=fail",
         "no trump is laid face down here, and J♦ is one"),
        (CALLER, CALLER_BLIND, CALLED, "9C", "lead_called=false",
         "the picker may not lead clubs, the called suit, before somebody did"),
        (CALLER, CALLER_BLIND, CALLED, "QC", "crack=true", "the question is: crack or pass"),
        (CALLER, CALLER_BLIND, CALLED, "crack", "blitz=true",
         "the question is: show two queens, such as blitz black, or pass"),
        (CALLER, CALLER_BLIND, CALLED, "blitz both", "blitz=true", "you do not hold Q♣ Q♠ Q♥ Q♦"),
        (ACER, ACER_BLIND, (*UNKNOWN[:2], "unknown QS call AS", *("pass",) * 4), "blitz black",
         "blitz=true", "Q♠ lies face down: only queens in the hand can be shown"),
        (CALLER, CALLER_BLIND, (*("pass",) * 5, "9C"), "AD", "pass=nola",
         "clubs were led and you hold A♣ K♣ 10♣ …"),
        (CALLER, CALLER_BLIND, (*("pass",) * 5, "JD"), "AC", "pass=nola",
         "diamonds were led and you hold A♦ 9♦"),
        (CALLER, CALLER_BLIND, (*("pass",) * 5, "9C"), "AD", "pass=leaster",
         "clubs were led and you hold A♣ 10♣ K♣ …"),
    ],
)  # fmt: skip
def test_refusals_under_options_are_explained(
    hands: dict[int, str], blind: str, done: tuple[str, ...], text: str, options: str, reason: str
) -> None:
    assert refused(hands, blind, done, text, options).endswith(f": {reason}")


def test_who_buried_all_open_suits_can_only_play_alone() -> None:
    hands, done = {0: "QC QS JD JC AC JS"}, ("pick", "bury 9S 8H")
    reason = "you picked spades and hearts without the ace and have buried them: only alone is left"
    assert refused(hands, "9S 8H", done, "unknown JD call AS").endswith(f": {reason}")
    assert refused(hands, "9S 8H", done, "call AS").endswith("and have no spade")


def test_numbers_that_are_no_action_and_other_seats_are_explained() -> None:
    table = at(CALLER, blind=CALLER_BLIND)

    def explain(state: np.record, seat: int, action: int) -> str:
        return str(table.game.text.explain(state, seat, action))

    for action in (-1, N_ACTIONS, 2**62, -(2**62)):
        assert explain(table.state, 0, action) == f"there is no action {action}"
    assert explain(table.state, 1, 33) == "it is not your turn"
    waiting = table.game.blank(1)[0]
    assert explain(waiting, 0, 33) == "the cards are not dealt yet"
    waiting.phase = OVER
    assert explain(waiting, 0, 33) == "the game is over"


def random_states(spec: str, seed: int, n: int) -> Iterator[tuple[Game, np.record]]:
    """Yield states of random sessions, a few of each; ends of hands among them."""
    game, rng, pick = kibitz.load_game(spec), derive(seed, Purpose.PLAYOUT), random.Random(seed)
    state = game.blank(1)[0]
    while n:
        if not movers(state):
            if is_over(state):
                state = game.blank(1)[0]
            deal(state, rng)
        seat = int(movers(state)).bit_length() - 1
        apply(state, seat, random_action(state, seat, rng))
        if pick.random() < 0.15 or not movers(state):
            n -= 1
            yield game, state


@pytest.mark.parametrize("spec", SPECS)
def test_whatever_is_refused_has_a_reason(spec: str) -> None:
    for game, state in random_states(spec, 4, 30 if COMPILED else 4):
        seat = int(movers(state)).bit_length() - 1
        for action in range(N_ACTIONS) if seat >= 0 else ():
            if not is_legal(state, seat, action):
                assert game.text.explain(state, seat, action) != LEGAL, (action, game.format(state))


@pytest.mark.parametrize("n", [12 if COMPILED else 6, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spec", SPECS)
def test_states_views_and_worlds_survive_their_line(spec: str, n: int) -> None:
    rng = derive(5, Purpose.PLAYOUT)
    for game, state in random_states(spec, 1, n):
        for seat in range(SPECTATOR, 5):
            view = state.copy()
            conceal(view, seat)
            world = view.copy()
            resample(world, seat, rng)
            for one in (state, view, world):
                text = game.text.format_position(one)
                assert len(text) < 800
                assert game.parse(text).tobytes() == one.tobytes(), text


@pytest.mark.parametrize(
    ("hands", "blind", "done", "options"),
    [
        (ACER, ACER_BLIND, UNKNOWN, "hands=1"),
        (ACER, ACER_BLIND, UNKNOWN, "lead_called=false"),
        (ACER, ACER_BLIND, ("pick", "bury 8D 9D", "unknown 10C call AH"), "unknown=fail"),
        (ALL_ACES, ALL_ACES_BLIND, ("pick", "bury QS 8D", "call 10S"), "called_ten=top"),
        (ALL_ACES, ALL_ACES_BLIND, ("pick", "bury QS 8D", "call 10C"), "underlead=true"),
        (CALLER, CALLER_BLIND, CALLED, "underlead=true"),
        (CALLER, CALLER_BLIND, CALLED, "slough=true"),
        (CALLER, CALLER_BLIND, ("pass",) * 5, "pass=nola"),
        (CALLER, CALLER_BLIND, ("pass",) * 5, "pass=leaster"),
    ],
)
def test_every_position_of_rare_hands_survives_its_line(
    hands: dict[int, str], blind: str, done: tuple[str, ...], options: str
) -> None:
    rng = derive(8, Purpose.PLAYOUT)
    for _ in range(2 if COMPILED else 1):
        table = at(hands, *done, blind=blind, spec=f"sheephead:{options}")
        state = table.state.copy()
        while movers(state):
            mover = int(movers(state)).bit_length() - 1
            apply(state, mover, random_action(state, mover, rng))
            for seat in range(SPECTATOR - 1, 5):
                view = state.copy()
                if seat >= SPECTATOR:
                    conceal(view, seat)
                text = table.game.text.format_position(view)
                assert table.game.parse(text).tobytes() == view.tobytes(), text


CARD = re.compile(r"\b(joker|(?:10|[7-9KAQJ])[CSHD])\b")


def exchange(text: str, pick: random.Random) -> str:
    """Exchange two cards, everywhere, and perhaps what is called or who is out of what."""
    one, other = pick.sample(CARD_WORDS, 2)
    text = CARD.sub(lambda found: {one: other, other: one}.get(found[0], found[0]), text)
    if pick.random() < 0.3:
        text = re.sub(r"called=\w+", f"called={pick.choice(['AC', 'AS', 'AH', '10C'])}", text)
    if pick.random() < 0.3:
        out = "/".join(pick.choice(["-", "-", "C", "SH", "T"]) for _ in range(5))
        text = re.sub(r"void=\S+", f"void={out}", text)
    return text


def mangle(text: str, pick: random.Random) -> str:
    """Change a word."""
    words = text.split(" ")
    i = pick.randrange(len(words))
    key, _, value = words[i].partition("=")
    parts = value.split("/")
    pick.shuffle(parts)
    place = pick.randrange(len(words[i]) + 1)
    words[i] = pick.choice(
        [
            f"{key}={'/'.join(parts)}",
            f"{key}={pick.choice(['-', '?', '?/?/?/?/?', '3', '9' * 30, 'play', 'AC', '0.1'])}",
            words[i][:place] + pick.choice("0123456789AKTCSHD.-/?=@>") + words[i][place + 1 :],
            f"{words[i]} {words[i]}",
            "",
            key,
        ]
    )
    return " ".join(words)


@pytest.mark.parametrize("spec", SPECS)
def test_changed_lines_are_refused_in_a_sentence_or_can_be_played(spec: str) -> None:
    pick, rng = random.Random(spec), derive(7, Purpose.PLAYOUT)
    complaints: list[str] = []
    accepted = 0
    for game, state in random_states(spec, 7, 150 if COMPILED else 15):
        if pick.random() < 0.5:
            conceal(state := state.copy(), pick.randrange(SPECTATOR, 5))
        text = game.text.format_position(state)
        text = exchange(text, pick) if pick.random() < 0.5 else mangle(text, pick)
        try:
            found = game.parse(text)
        except PositionError as error:
            complaints.append(str(error))
            continue
        accepted += 1
        again = game.text.format_position(found)
        assert game.parse(again).tobytes() == found.tobytes(), text
        if "?" in again:
            shown = [other for other in range(5) if found.hand[other]]
            resample(found, shown[0] if shown else SPECTATOR, rng)
        for _ in range(game.max_actions):
            if not movers(found):
                break
            mover = int(movers(found)).bit_length() - 1
            apply(found, mover, random_action(found, mover, rng))
        assert not movers(found), text
    assert min(accepted, len(complaints)) > 0
    assert not any("\n" in complaint for complaint in complaints)
    assert max(map(len, complaints)) < 300


def played(**changes: str) -> str:
    """Write the position after QC 9D joker 10H 10D ..., with words changed."""
    table = at(CALLER, *CALLED, "KS", "AD", "9S", "7S", "10D", "9D", blind=CALLER_BLIND)
    words = dict(
        word.split("=") for word in table.game.text.format_position(table.state).split(" ")
    )
    changed = {key.replace("_", "-"): value for key, value in changes.items()}
    return " ".join(f"{key}={value}" for key, value in (words | changed).items())


def test_the_line_that_is_changed_below_is_right() -> None:
    game = kibitz.load_game("sheephead")
    assert game.text.format_position(game.parse(played())) == played()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"phase": "playing"}, "phase: unknown word 'playing'"),
        ({"deal": "2"}, "deal=2: this session has 1 hands"),
        ({"deal": "0"}, "before the first hand there is only phase=wait"),
        ({"deal": "-1"}, "deal: expected a number from 0 to 1000, got '-1'"),
        ({"phase": "wait"}, "the session is over after hand 1"),
        ({"dealer": "3"}, "dealer: seat 4 deals hand 1"),
        ({"left": "1/2/3/4/4"}, "left: the left neighbours are not a round"),
        ({"left": "2/0/4/1/3"}, "left: seats have not been drawn again yet"),
        ({"left": "2/3/4/0/1"}, "left: seats have not been drawn again yet"),
        ({"left": "1/2/3/4"}, "left: expected 5 numbers, got 4"),
        ({"turn": "3"}, "turn: seat 2 is to play"),
        ({"turn": "99999999999999999999"}, "turn: expected a number from 0 to 4"),
        ({"leader": "2"}, "leader: seat 1 leads this trick"),
        ({"hands": "QC.QC/?/?/?/?"}, "hands: QC is there twice"),
        ({"hands": "QC.XY/?/?/?/?"}, "hands: 'XY' is not a card"),
        ({"hands": "?/?/?/?"}, "hands: expected those of 5 seats, got 4"),
        ({"hands": "QC.QS.JD.9C.8S/?/?/?/-"}, "the hand of seat 4 has cards here"),
        ({"hands": "?/?/joker.AS.AH.KH.9H/?/?"}, "buried: only the picker sees it"),
        ({"hands": "?/?/?/?/?"}, "buried: only the picker sees it"),
        ({"hands": "QC.QS.JD.9C.8S/?/?/?/?", "buried": "?"}, "buried: the picker sees it"),
        ({"hands": "QC.QS/?/?/?/?"}, "seat 0 must hold 5 cards here, got 2"),
        ({"hands": "7C.8C.9C.10C.KC.AC.7S.8S.9S/?/?/?/?"}, "more than 8 cards in one place"),
        ({"buried": "7H"}, "7H|8H|buried"),
        ({"buried": "7H.8H.9H"}, "9H is in two places"),
        ({"buried": "7H.QC"}, "QC is in two places"),
        ({"blind": "7H.8H"}, "in two places"),
        ({"blind": "?"}, "blind: nothing to hide"),
        ({"played": "-/-/-/-/-"}, "is nowhere|has not played|played"),
        ({"laid": "-/9D/-/9H/-"}, "laid|seat 3 must hold 4 cards here, got 5"),
        ({"laid": "-/8D/-/-/-"}, "laid: seat 1 has not played 8D"),
        ({"laid": "-/?/-/-/-"}, "laid: seat 1 has not laid an unknown card"),
        ({"last": "-/-/-/-/-"}, "last: the trick before has five cards"),
        ({"last_leader": "1"}, "last-leader: the dealer's left neighbour led first"),
        ({"last_winner": "0"}, "leader: seat 0 leads|last-winner: seat 1 took"),
        ({"last_winner": "-"}, "leader|last"),
        ({"tricks": "0/0/1/0/0"}, "tricks: seat 1 took the trick before"),
        ({"tricks": "0/7/0/0/0"}, "tricks: expected a number from 0 to 6"),
        ({"tricks": "0/6/0/0/0"}, "tricks: a hand has 6 of them"),
        ({"points": "0/25/0/0/1"}, "points: they must add up to the 25"),
        ({"points": "25/0/0/0/0"}, "points: seat 0 has taken no trick"),
        ({"points": "0/-25/0/0/0"}, "points: expected a number from 0 to 120"),
        ({"passed": "1"}, "passed: bidding goes to the left"),
        ({"passed": "0"}, "picker: seat 1 is the first that has not passed"),
        ({"passed": "0.1.2.3.4"}, "picker: somebody must have picked here"),
        ({"passed": "0.0"}, "passed: seat 0 is there twice"),
        ({"passed": "0.1.2.3.4.0.1.2"}, "passed: seat 0 is there twice"),
        ({"picker": "-"}, "picker: somebody must have picked here"),
        ({"picker": "5"}, "picker: expected a number from 0 to 4"),
        ({"phase": "nola"}, "picker: nobody can have picked here"),
        ({"phase": "leaster", "picker": "-"}, "passed: all have passed where nobody picks"),
        ({"called": "QC"}, "called: an ace or a ten"),
        ({"called": "?"}, "called: '[?]' is not a card"),
        ({"called": "10S"}, "called-led: it does not go with the trick before"),
        ({"called": "AH"}, "called: with these cards the picker may not declare that"),
        ({"called": "AS", "without": "0.2"}, "without: seat 2 has AS"),
        ({"called": "9C"}, "called: an ace or a ten"),
        ({"called": "-"}, "called: nothing is called here"),
        ({"without": "-"}, "without: the picker is without the called card"),
        ({"without": "0.1"}, "without: seat 1 has AC"),
        ({"called_led": "1"}, "called-led: it does not go with the trick before"),
        ({"called_led": "2"}, "called-led: trump are led now|called-led"),
        ({"called_led": "3"}, "called-led: that trick has not been played yet"),
        ({"unknown": "9C"}, "called: with these cards the picker may not declare that"),
        ({"unknown": "7C"}, "unknown: 7C is not where it should be"),
        ({"unknown": "9C@1"}, "unknown: "),
        ({"unknown": "9C@2>1"}, "unknown: "),
        ({"unknown": "9C>1"}, "unknown: expected such as"),
        ({"unknown": "?"}, "unknown|hands"),
        ({"void": "H/-/-/-/-"}, "void: no trick can have shown that seat 0 is out of hearts"),
        ({"void": "-/ST/-/-/-"}, "void: seat 1 lays trump"),
        ({"void": "-/SS/-/-/-"}, "void: expected suits out of CSHT, each once"),
        ({"void": "-/D/-/-/-"}, "void: expected suits out of CSHT"),
        ({"cracks": "1"}, "cracks: payments are doubled only with crack=true"),
        ({"shown": "0/-"}, "shown: queens are shown only with blitz=true"),
        ({"shown": "0"}, "shown: expected two seats, as in 2/- or 0/4"),
        ({"shown": "5/-"}, "shown: expected a number from 0 to 4"),
        ({"redeals": "1"}, "redeals: cards are dealt again only with pass=redeal"),
        ({"doubled": "1"}, "doubled: after 0 hands 1 cannot be left"),
        ({"money": "5/-5/0/0/0"}, "money: so much cannot be paid in 0 hands"),
        ({"paid": "5/-5/0/0/0"}, "paid: so much cannot be paid in 0 hands"),
        ({"money": "5/5/5/5/5"}, "money: what some get, others pay"),
        ({"misfits": "-1"}, "misfits: expected a number from 0 to 1"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"bump": "true"}, "unknown key 'bump'"),
    ],
)
def test_impossible_positions_are_refused(changes: dict[str, str], why: str) -> None:
    with pytest.raises(PositionError, match=why):
        kibitz.load_game("sheephead").parse(played(**changes))


def voids(void: str, *plays: str) -> None:
    """Read a position after these plays, with other voids."""
    table = at(CALLER, *CALLED, *plays, blind=CALLER_BLIND)
    text = table.game.text.format_position(table.state)
    text = re.sub(r" void=\S+", "", text) + f" void={void}"
    table.game.parse(text)


SPADES = ("KS", "AD", "9S", "7S", "10D")  # seats 1 and 4 have no spades, seat 1 takes it
TRUMP = ("9D", "joker", "8D", "JH", "JD")


@pytest.mark.parametrize(
    ("void", "plays", "why"),
    [
        ("-/-/C/-/-", (), "no trick can have shown that seat 2 is out of clubs"),
        ("-/S/-/-/-", SPADES, "seat 4 has shown to be out of spades"),
        ("-/-/-/-/S", SPADES, "seat 1 has shown to be out of spades"),
        ("-/S/-/-/-", (*SPADES, "9D"), "seat 4 has shown to be out of spades"),
        ("-/S/-/C/S", (*SPADES, "9D"), "no trick can have shown that seat 3 is out of clubs"),
        ("-/S/S/-/S", SPADES, "seat 2 in the trick before laid spades"),
        ("-/ST/-/-/S", SPADES, "seat 1 in the trick before laid trump"),
        ("-/S/-/-/S", (*SPADES, *TRUMP), ""),
        ("-/-/-/-/-", (*SPADES, *TRUMP), ""),
        ("-/S/-/H/S", (*SPADES, *TRUMP), "no trick can have shown that seat 3 is out of hearts"),
        ("-/S/-/ST/S", (*SPADES, *TRUMP), "seat 3 in the trick before laid trump"),
    ],
)
def test_voids_are_checked_against_the_tricks_that_can_be_seen(
    void: str, plays: tuple[str, ...], why: str
) -> None:
    if not why:
        voids(void, *plays)
        return
    with pytest.raises(PositionError, match=f"void: ({why})"):
        voids(void, *plays)


def test_a_renege_in_the_trick_before_is_refused() -> None:
    """Seat 2 throws a heart on spades, with a spade in its hand."""
    table = at(CALLER, *CALLED, *SPADES, blind=CALLER_BLIND)
    text = table.game.text.format_position(table.state)
    swap = {"9S": "9H", "9H": "9S"}
    text = re.sub(r"\b(9S|9H)\b", lambda found: swap[found[0]], text)
    with pytest.raises(PositionError, match="void: seat 2 has shown to be out of spades"):
        table.game.parse(text)
    with pytest.raises(PositionError, match="void: seat 2 holds spades"):
        table.game.parse(text.replace("void=-/S/-", "void=-/S/S"))


@pytest.mark.parametrize("spec", ["sheephead", "sheephead:hands=3"])
def test_a_position_with_its_spec_gets_a_sentence(spec: str) -> None:
    table = kibitz.load_game(spec).deal(1)
    with pytest.raises(PositionError, match=f"begins with a spec, '{spec}'"):
        table.game.parse(table.position)


@pytest.mark.parametrize(
    ("spec", "text", "why"),
    [
        ("sheephead", "", "a position needs phase"),
        ("sheephead", "phase", "is not key=value"),
        ("sheephead", "phase=wait phase=wait", "phase is given twice"),
        ("sheephead", "phase=wait turn=1", "before the first hand nothing is dealt"),
        ("sheephead", "phase=wait left=1/2/3/4/0", "before the first hand nothing is dealt"),
        ("sheephead", "phase=over deal=1", "dealer: seat 4|passed|picker"),
        ("sheephead", "phase=bid deal=1 dealer=4 hands=?/?/?/?/? blind=? turn=1", "is to bid"),
        ("sheephead", "phase=bid deal=1 dealer=4 hands=?/?/?/?/? turn=0", "blind: two cards"),
        ("sheephead", "phase=bury deal=1 dealer=4 hands=?/?/?/?/? turn=1 picker=0", "the picker"),
        ("sheephead", "phase=crack deal=1 dealer=4 hands=?/?/?/?/? turn=1 picker=0 buried=?",
         "only with crack=true"),
        ("sheephead:crack=true",
         "phase=crack deal=1 dealer=4 hands=?/?/?/?/? turn=0 picker=0 buried=?",
         "the others are asked first"),
        ("sheephead", "phase=blitz deal=1 dealer=4 hands=?/?/?/?/? turn=1 picker=0 buried=?",
         "only with blitz=true"),
        ("sheephead:blitz=true",
         "phase=bid deal=1 dealer=4 hands=?/?/?/?/? blind=? turn=0 shown=1/-",
         "after the declaration"),
        ("sheephead:blitz=true",
         "phase=blitz deal=1 dealer=4 hands=?/?/?/?/? turn=2 picker=0 buried=? shown=2/-",
         "seat 2 has not been asked yet"),
        ("sheephead:blitz=true",
         "phase=blitz deal=1 dealer=4 hands=?/?/QC.7C.8C.9C.7S.8S/?/? turn=2 picker=0 buried=? "
         "shown=1/-", "seat 1 cannot have Q♣ Q♠"),
        ("sheephead:blitz=true",  # seat 1 has one card
         "deal=1 phase=play turn=2 dealer=4 hands=?/?/9S.8S/?/? buried=? played=JS.KD.9C.10S/"
         "joker.JH.JD.8D.KS/QH.JC.7S.9H/10D.9D.KC.8C/AD.10C.AS.10H leader=1 laid=-/JD/-/-/- "
         "last=JS/joker/QH/9D/AD last-leader=2 last-winner=1 tricks=0/2/1/1/0 "
         "points=0/32/16/35/0 picker=0 called=AH without=0 void=C/C/C/S/C shown=1/-",
         "seat 1 has no place left for these queens"),
        ("sheephead:lead_called=false,slough=true,underlead=true,bury=fail,blitz=true",
         "deal=1 phase=play turn=3 dealer=4 hands=?/?/?/?/? buried=? played=AD.9C/8D.KC/"
         "joker.JH.JD/JS.8C/10D.10C leader=2 laid=-/-/joker/-/- last=9C/KC/JD/8C/10C "
         "last-leader=3 last-winner=2 tricks=0/0/1/1/0 points=0/0/16/25/0 picker=0 called=AC "
         "called-led=2 without=0.1.2.4 void=-/-/C/-/- shown=3/3", "somebody must hold AC"),
        ("sheephead:blitz=true",  # the picker keeps a heart
         "deal=1 phase=play turn=1 dealer=4 hands=?/?/?/?/? buried=? played=AS.10S/9H/KS/8S/7S "
         "laid=10S/-/-/-/- last=AS/9H/KS/8S/7S last-winner=0 tricks=1/0/0/0/0 points=15/0/0/0/0 "
         "picker=0 called=10H without=0 void=-/S/-/-/- shown=0/0",
         "seat 0 has no place left for these queens"),
        ("sheephead",
         "deal=1 phase=play turn=0 dealer=4 hands=?/?/?/8S/? buried=? played=joker.QS.JC.KC.7S/"
         "QC.QH.AD.8D.7C/KD.9C.9S.9H.7H/QD.JD.10C.AH.KH/9D.8C.10S.10H.8H last=joker/8D/9S/AH/10H "
         "last-winner=0 tricks=2/2/0/1/0 points=40/26/0/14/0 passed=0.1.2.3 picker=4 called=AH "
         "without=4 void=H/H/T/T/T", "the called card is not thrown on another suit"),
        ("sheephead:open=true", "phase=bid deal=1 dealer=4 hands=?/?/?/?/? blind=? turn=0",
         "nothing is hidden with open=true"),
        ("sheephead:pass=forced",
         "phase=nola deal=1 dealer=4 hands=?/?/?/?/? turn=0 blind=? passed=0.1.2.3.4",
         "not what follows if all pass"),
        ("sheephead:hands=9",
         "phase=bid deal=3 turn=2 dealer=1 hands=?/?/?/?/? blind=? money=3/-3/0/0/0",
         "multiples of 5"),
        ("sheephead:hands=9",
         "phase=bid deal=3 turn=2 dealer=1 hands=?/?/?/?/? blind=? money=500/-500/0/0/0",
         "so much cannot be paid in 2 hands"),
        ("sheephead:hands=9", "phase=bid deal=3 turn=2 dealer=1 hands=?/?/?/?/? blind=? doubled=6",
         "after 2 hands 6 cannot be left"),
    ],
)  # fmt: skip
def test_lines_that_cannot_be_are_refused(spec: str, text: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        kibitz.load_game(spec).parse(text)


def test_long_lines_are_refused_unread() -> None:
    with pytest.raises(PositionError, match="at most 4000 characters"):
        kibitz.load_game("sheephead").parse("phase=wait " * 1000)


def ended(spec: str = "sheephead:hands=3") -> str:
    """Write a position after the first hand of a session."""
    for game, state in random_states(spec, 9, 500):
        if state.dealt == 1 and not movers(state) and state.paid.any():
            text: str = game.text.format_position(state)
            return text
    raise AssertionError


def test_what_a_hand_pays_is_checked() -> None:
    game, text = kibitz.load_game("sheephead:hands=3"), ended()
    paid = text.split("paid=")[1].split(" ")[0]
    twice = "/".join(str(2 * int(cents)) for cents in paid.split("/"))
    game.parse(text)
    for money, word in (("money", f"money={twice}"), ("paid", f"paid={twice}")):
        with pytest.raises(PositionError, match="paid|money"):
            game.parse(text.replace(f"{money}={paid}", word))
    with pytest.raises(PositionError, match="paid: the hand pays something else"):
        game.parse(text.replace(f"={paid}", f"={twice}"))
    with pytest.raises(PositionError, match="doubles other hands"):
        game.parse(f"{text} doubled=3")


def drawn(drawing: RenderableType, width: int = 80, colour: bool = False) -> str:
    console = Console(
        width=width, force_terminal=colour, color_system="standard" if colour else None
    )
    with console.capture() as capture:
        console.print(drawing)
    return capture.get()


def test_the_table_shows_what_matters() -> None:
    table = at(CALLER, *CALLED, "KS", "AD", "9S", "7S", "10D", "9D", "joker", blind=CALLER_BLIND)
    text = drawn(table.render(0))
    for words in (
        "trick 2 of 6",
        "seat 3 is to play",
        "you picked and call A♣; the partner is not known yet",
        "buried: 8♥ 7♥ (0 points)",
        "trump led by seat 1, seat 2 wins it so far (*), 0 points in it",
        "your hand: Q♣ Q♠ J♦   9♣   8♠",
        "joker *",
        "A♦ *",
    ):
        assert words in text
    assert "you are the partner, secretly" in drawn(table.render(1))
    assert "buried" not in drawn(table.render(1))
    assert "8♥" not in drawn(table.render(SPECTATOR))
    assert "\x1b[" in drawn(table.render(0), colour=True)


def test_the_partner_is_shown_once_he_has_played_the_called_card() -> None:
    table = at(CALLER, *CALLED, "9C", "AC", blind=CALLER_BLIND)
    for seat in (0, 2, SPECTATOR):
        assert "the partner is seat 1" in drawn(table.render(seat))
    assert "you are the partner" in drawn(table.render(1))


def test_the_unknown_card_is_shown_to_the_picker_only() -> None:
    plays = ("JC", "7C", "joker", "KD", "AD", "8S", "10S", "QD", "JD")
    table = at(ACER, *UNKNOWN, *plays[:-1], blind=ACER_BLIND)
    assert "unknown: J♦" in drawn(table.render(0))
    assert "with an unknown card" in drawn(table.render(1))
    assert "J♦" not in drawn(table.render(1))
    table.play(0, "JD")
    assert "J♦" in drawn(table.render(0))
    assert "face down" in drawn(table.render(1))
    assert "J♦" not in drawn(table.render(1))


def test_the_unknown_card_is_marked_in_the_hand_of_the_picker() -> None:
    table = at(ACER, *UNKNOWN, blind=ACER_BLIND)
    assert "your hand: Q♣ Q♠ J♣   A♣ 10♣   J♦ (face down)" in drawn(table.render(0))
    assert "(face down)" not in drawn(table.render(1))
    for play in UNKNOWN_PLAYS:
        table.play(table.movers[0], play)
    assert "(face down)" not in drawn(table.render(0))


QUESTIONS = {
    "bid": (CALLER, CALLER_BLIND, ()),
    "bury": (CALLER, CALLER_BLIND, CALLED[:1]),
    "call": (CALLER, CALLER_BLIND, CALLED[:2]),
    "play": (CALLER, CALLER_BLIND, CALLED),
    "blitz": (CALLER, CALLER_BLIND, (*CALLED, *("pass",) * 4)),
    "crack": (CALLER, CALLER_BLIND, (*CALLED, "crack")),
    "unknown": (ACER, ACER_BLIND, UNKNOWN),
    "nobody": (CALLER, CALLER_BLIND, ("pass",) * 5),
}


def help_of(question: str, options: str) -> str:
    """Return the help text of a question."""
    hands, blind, done = QUESTIONS[question]
    asked = f",{question}=true" if question in ("blitz", "crack") else ""
    table = at(hands, *done, blind=blind, spec=f"sheephead:{options}{asked}")
    return str(table.game.text.suggest(table.view(0), 0, table.legal(0)).help)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "options", ["hands=1", "pass=leaster", "lead_called=false", "slough=true,underlead=true"]
)
def test_help_fits_on_a_screen(question: str, options: str) -> None:
    lines = help_of(question, options).splitlines()
    assert len(lines) <= 13
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("options", "question", "words"),
    [
        ("", "bid", "If nobody picks: Nola"),
        ("", "bid", "no trick                    -120     +30              -40      -20     +20"),
        ("bump=true", "bid", "no trick                    -200     +50              -60      -30"),
        ("", "bury", "all three aces: a ten"),
        ("bury=fail", "bury", "Trump is buried only for want of other cards"),
        ("", "call", "61 to 90                     +60     -15              +10       +5      -5"),
        ("", "play", "the picker must keep a card of them"),
        ("", "play", "the partner may not throw A♣ on another suit or lead clubs but with it."),
        ("slough=true", "play", "the partner may not lead clubs but with it."),
        ("lead_called=false", "play", "he may not lead them himself"),
        ("", "blitz", "Who shows both black queens"),
        ("", "crack", "crack doubles all payments"),
        ("", "unknown", "the lowest of spades, it cannot win"),
        ("", "nobody", "all six gets 5¢ from each"),
        ("pass=leaster", "nobody", "fewest points with at least one trick"),
    ],
)
def test_help_tells_the_rules_that_are_played(options: str, question: str, words: str) -> None:
    assert words in help_of(question, options or "hands=1")


def test_obligations_end_when_the_called_suit_has_been_led() -> None:
    table = at(CALLER, *CALLED, "9C", "AC", blind=CALLER_BLIND)
    while table.state.tricks_played == 0:
        table.play(table.movers[0], table.legal(table.movers[0])[0])
    seat = table.movers[0]
    hint = table.game.text.suggest(table.view(seat), seat, table.legal(seat))
    assert "nobody has more to observe" in str(hint.help)


def test_nola_is_shown_as_such() -> None:
    table = at(CALLER, *("pass",) * 5, blind=CALLER_BLIND)
    text = drawn(table.render(0))
    assert "nobody picked: Nola" in text
    assert "points" not in text  # they do not count
    assert "your hand: Q♣ 9♣   Q♠ K♠ 8♠   J♦" not in text
    assert "your hand: Q♣ 9♣   K♠ Q♠ 8♠   J♦" in text
    assert "Nola has no trump" in Menu(table.game, table.view(0), 0).help


@pytest.mark.parametrize("rule", ["nola", "leaster", "doubler", "redeal"])
def test_what_follows_if_nobody_picks_is_said_in_one_line(rule: str) -> None:
    game = kibitz.load_game(f"sheephead:pass={rule}")
    state = game.parse(line(CALLER, CALLER_BLIND))
    for seat in range(5):
        apply(state, seat, game.text.parse_action(state, seat, "pass"))
    rows = drawn(game.render(state, 0), width=200).splitlines()
    assert rows[1].startswith("nobody picked: ")
    assert len(rows[1]) <= 80


def test_queens_that_were_shown_are_on_the_board() -> None:
    table = at(CALLER, *CALLED, *("pass",) * 4, blind=CALLER_BLIND, spec="sheephead:blitz=true")
    assert "blitz black, red or both, or pass" in Menu(table.game, table.view(0), 0).question
    assert "blitz black" in drawn(Menu(table.game, table.view(0), 0))
    table.play(0, "blitz black")
    assert "you have shown Q♣ Q♠" in drawn(table.render(0))
    assert "seat 0 has shown Q♣ Q♠" in drawn(table.render(1))
    assert "payments times 2" in drawn(table.render(1))
    assert " shown=0/- " in f" {table.game.text.format_position(table.view(1))} "


def test_doubling_cracks_and_redeals_are_shown() -> None:
    game = kibitz.load_game("sheephead:hands=9,crack=true,pass=redeal")
    view = game.deal(1).view(0)
    view.dealt, view.doubled, view.cracks, view.redeals = 3, 4, 2, 2
    text = drawn(game.render(view, 0))
    for words in (
        "this hand and 3 more pay double",
        "cracked twice",
        "payments times 8",
        "dealt again: 2",
    ):
        assert words in text


def test_the_end_shows_what_came_of_it() -> None:
    table = kibitz.load_game("sheephead").deal(3)
    rng = random.Random(3)
    while not table.is_over:
        choices = table.legal()
        pick = next((a for a in choices if table.text(a) in ("pick", "alone")), None)
        table.play(table.movers[0], pick if pick is not None else rng.choice(choices))
    text = drawn(table.render(0))
    assert "you picked and play alone" in text
    assert "you win with" in text or "you lose with" in text
    assert f"{int(table.scores[0]):+d}¢" in text


@pytest.mark.parametrize("spec", SPECS)
def test_every_view_can_be_drawn_within_80_columns(spec: str) -> None:
    for game, state in random_states(spec, 3, 25 if COMPILED else 3):
        for seat in range(SPECTATOR, 5):
            view = state.copy()
            conceal(view, seat)
            rows = drawn(game.render(view, seat), width=200).splitlines()
            assert max(len(row.rstrip()) for row in rows) <= 80


def test_hidden_cards_are_not_drawn() -> None:
    table = kibitz.load_game("sheephead").deal(1)
    others = sum(int(table.state.hand[seat]) for seat in (1, 2, 3, 4)) | int(table.state.blind)
    text = drawn(table.render(0))
    assert not any(show_card(card) in text for card in members(others))


def test_a_person_is_asked_in_words() -> None:
    table = at(CALLER, blind=CALLER_BLIND)

    def menu() -> Menu:
        return Menu(table.game, table.view(0), 0)

    assert menu().question.startswith("pick or pass")
    assert "Q♣ joker Q♠" in menu().help
    table.play(0, menu().read("pick"))
    assert "bury two cards" in menu().question
    assert "such as bury" in drawn(menu())
    table.play(0, menu().read("8♥ 7h"))
    assert "call AC   call AS" in drawn(menu())
    table.play(0, menu().read("ac"))
    assert "any card" in drawn(menu())
    assert table.text(menu().read("qc"), 0) == "QC"
    with pytest.raises(IllegalAction, match="you have buried 7♥"):
        menu().read("7h")


def test_an_unknown_card_is_asked_for_with_an_example() -> None:
    table = at(ACER, *UNKNOWN[:2], blind=ACER_BLIND)
    text = drawn(Menu(table.game, table.view(0), 0), width=200)
    assert "call A♠ or A♥" in text
    assert "such as unknown 10C call AS" in text


def test_only_some_cards_may_be_played_and_those_are_named() -> None:
    table = at(CALLER, *CALLED, "QC", blind=CALLER_BLIND)
    assert "you may play: A♦ 9♦" in drawn(Menu(table.game, table.view(1), 1))


def told(viewer: int, *actions: str) -> list[str]:
    """Return the log of a seat: what is told of these actions, and what came of them."""
    table = at(ACER, blind=ACER_BLIND)
    chronicle = Chronicle(table, viewer)
    for action in actions:
        table.play(table.movers[0], action)
    chronicle.follow()
    log: list[str] = []
    for event in chronicle.events:
        log += [] if event.message is None else [say(event.message, seat=viewer)]
        log += ["; ".join(say(one, seat=viewer) for one in event.outcome)] * bool(event.outcome)
    return log


def test_others_are_told_what_shows_of_hidden_cards_and_no_more() -> None:
    log = told(1, *UNKNOWN, *UNKNOWN_PLAYS)
    assert log[:4] == [
        "picks",
        "buries two cards",
        "calls A♠ with a card face down",
        "seat 0 leads",
    ]
    assert log[-1] == "a card face down"
    assert not any(card in words for card in ("J♦", "8♦", "9♦", "JD") for words in log)


def test_who_did_it_is_told_the_cards_with_the_symbols_of_the_table() -> None:
    log = told(0, *UNKNOWN, *UNKNOWN_PLAYS)
    assert log[:4] == ["picks", "buries 9♦ 8♦", "calls A♠ with J♦ face down", "you lead"]
    assert log[-1] == "J♦ face down"


def test_the_log_does_not_depend_on_which_card_is_face_down() -> None:
    other = ("pick", "bury 8D 9D", "unknown JC call AS")
    swapped = ("JD", *UNKNOWN_PLAYS[1:-1], "JC")
    one, two = told(1, *UNKNOWN, *UNKNOWN_PLAYS), told(1, *other, *swapped)
    assert [words.replace("J♣", "J♦") for words in one] == two


def test_the_log_says_who_takes_a_trick_and_who_is_the_partner() -> None:
    log = told(2, *UNKNOWN, *UNKNOWN_PLAYS)
    assert "you take the trick, 17 points" in log
    log = told(1, *UNKNOWN, *UNKNOWN_PLAYS, "AS")
    assert log[-2:] == ["A♠", "you are the partner; seat 4 takes the trick, 24 points "
                        "and the card face down"]  # fmt: skip


def test_the_log_says_that_nobody_picks() -> None:
    assert told(1, *("pass",) * 5)[-1] == "nobody picks: Nola; seat 0 leads"
    log = told(0, *("pass",) * 5, "10C", "7C", "8S", "8C", "AD")
    assert [words for words in log if "trick" in words][:1] == ["you take the trick"]


def test_the_line_of_a_deal_can_be_read() -> None:
    game = kibitz.load_game("sheephead")
    assert game.text.format_position(game.parse(line(CALLER, CALLER_BLIND))) == line(
        CALLER, CALLER_BLIND
    )
