"""Lines of key=value words: what is read, and what is told of what cannot be."""

import pytest

from kibitz.core.errors import PositionError
from kibitz.core.lines import Words

KEYS = ("phase", "turn", "hands")
PHASES = {0: "wait", 1: "play"}


def test_words_are_read_and_those_left_out_are_nothing() -> None:
    words = Words("phase=play turn=3 hands=a/b", KEYS, 2)
    assert words.choice("phase", PHASES) == 1
    assert words.number("turn", 0, 5) == 3
    assert words.seats("hands", str.upper) == ["A", "B"]
    assert "turn" in words
    short = Words("phase=wait", KEYS, 2)
    assert (short.number("turn", 0, 5), short.numbers("hands", 2, 0, 1)) == (0, [0, 0])
    assert (short.word("hands"), short.seats("hands", str)) == ("-", ["-", "-"])
    assert "turn" not in short


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("turn=3", "a position needs phase=..., got 'turn=3'"),
        ("phase", "'phase' is not key=value"),
        ("phase=", "'phase=' is not key=value"),
        ("phase=play phase=play", "phase is given twice"),
        ("phase=play tunr=3", "unknown key 'tunr': did you mean 'turn'?"),
        ("phase=plays", "phase: unknown word 'plays': did you mean 'play'?"),
        ("phase=play turn=6", "turn: expected a number from 0 to 5, got '6'"),
        ("phase=play turn=1234567", "turn: expected a number from 0 to 5, got '1234567'"),
        ("phase=play hands=1", "hands: expected 2 numbers, got 1"),
        ("phase=play hands=1/x", "hands: expected a number from 0 to 1, got 'x'"),
    ],
)
def test_what_is_wrong_is_told_with_its_key(text: str, why: str) -> None:
    def read() -> None:
        words = Words(text, KEYS, 2)
        words.choice("phase", PHASES)
        words.number("turn", 0, 5)
        words.numbers("hands", 2, 0, 1)

    with pytest.raises(PositionError) as caught:
        read()
    assert str(caught.value) == why


def test_seats_are_counted() -> None:
    with pytest.raises(PositionError, match="hands: expected those of 2 seats, got 3"):
        Words("phase=play hands=a/b/c", KEYS, 2).seats("hands", str)
