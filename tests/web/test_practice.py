"""Decks of mistakes: when an exercise comes again."""

from datetime import UTC, datetime, timedelta

from kibitz.web.practice import SOON, wait

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_right_answers_wait_longer_each_time() -> None:
    n_right, waits = 0, []
    for _ in range(9):
        n_right, due = wait(n_right, is_right=True, now=NOW)
        waits.append((due - NOW) / timedelta(days=1))
    assert waits == [1, 2, 4, 8, 16, 32, 64, 64, 64]
    assert n_right == 9


def test_a_wrong_answer_comes_back_soon_and_begins_again() -> None:
    assert wait(5, is_right=False, now=NOW) == (0, NOW + SOON)
