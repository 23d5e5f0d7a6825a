"""Tasks about games that are over: replays, judgements, what cards were worth, imports.

They run where agents think (see `thinking`), by the record of a game: one line of JSON.
"""

import math
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.driver import Schedule, play
from kibitz.core.errors import KibitzError, PositionError, RecordError
from kibitz.core.game import Seat, State
from kibitz.core.logs import Damage, load_log_format, log_formats
from kibitz.core.messages import Message
from kibitz.core.record import Record, parse_record
from kibitz.core.record import replay as play_again
from kibitz.core.registry import load_agent
from kibitz.core.table import Table
from kibitz.core.wording import LANGUAGES, speaking, word, words
from kibitz.review.documents import Described, number
from kibitz.review.judgement import Answer, ask, think
from kibitz.review.luck import CONFIDENCE, luck_of, rounds_of
from kibitz.review.mistakes import size_of, thresholds_of
from kibitz.review.questions import Question, all_moves, ask_position
from kibitz.web import documents
from kibitz.web.documents import Json
from kibitz.web.replays import replay_steps

if TYPE_CHECKING:
    from kibitz.web.thinking import Mind

SURVEY_SECONDS = 2.0
"""How long a quick look at all decisions may take: the first mistake is to be there soon."""

BOTS_GAMES, BOTS_SECONDS = 20, 8.0
"""Games that bots play of one deal, as far as there is time."""

MOST_ANSWERS = 100
"""Answers of the usual coach that a process remembers."""

MOST_GAMES = 100
"""Games that one import may bring."""

MOST_RECORD = 100_000
"""Characters of a game that can be looked back at: about 100 rounds of any game."""

MOST_REFUSED = 20
"""Complaints about one import that are told."""


@lru_cache(8)
def recall(line: str) -> tuple[Record, list[Question]]:
    """Return a record with all that was decided, as it was seen."""
    record = parse_record(line)
    return record, list(all_moves(record))


def _decision(line: str, move: int) -> Question:
    """Return what was decided at a move, from 1."""
    _, moves = recall(line)
    if not 1 <= move <= len(moves):
        raise RecordError(f"the game has moves 1 to {len(moves)}, got {move}")
    return moves[move - 1]


def replay(mind: "Mind", line: str, viewer: Seat, is_open: bool, language: str) -> Iterator[Json]:
    """Show a game step by step."""
    with speaking(language, viewer):
        yield {"steps": replay_steps(parse_record(line), viewer, is_open=is_open)}


def survey(mind: "Mind", line: str, seat: Seat) -> Iterator[Json]:
    """List a seat's decisions, those first that a quick look finds dear."""
    asked = [one for one in recall(line)[1] if one.seat == seat and len(one.legal) > 1]
    if not asked:
        yield {"moves": []}
        return
    coach = mind.coach(asked[0].game.spec, "quick")
    mind.begin()
    losses, ends = {one.move: 0.0 for one in asked}, time.monotonic() + SURVEY_SECONDS
    for question in asked:
        loss = ask(coach, question).loss
        losses[question.move] = 0.0 if loss is None else loss.value
        if time.monotonic() > ends:
            break
    yield {"moves": sorted(losses, key=lambda move: -losses[move])}


def judge(mind: "Mind", line: str, move: int) -> Iterator[Json]:
    """Say what a decision cost: `ReviewDecision`, in all languages."""
    question = _decision(line, move)
    coach = mind.coach(question.game.spec, "usual")
    mind.begin()
    yield decision_document(_asked(coach.spec, line, move, mind)) | {"coach": coach.spec}


def _asked(spec: str, line: str, move: int, mind: "Mind") -> Answer:
    """Ask the coach about a decision, unless he has just been."""
    key = (spec, line, move)
    if key not in mind.answers:
        while len(mind.answers) >= MOST_ANSWERS:
            mind.answers.popitem(last=False)
        question = _decision(line, move)
        mind.answers[key] = ask(mind.coach(question.game.spec, "usual"), question)
    return mind.answers[key]


def decision_document(answer: Answer) -> Json:
    """Return what a coach thinks of a decision that was made."""
    asked, loss = answer.question, answer.loss
    assert asked.played is not None
    best = answer.opinions[0]
    value = number(best.value)
    lost = None if loss is None else number(loss.value)
    return {
        "move": asked.move,
        "seat": asked.seat,
        "played": asked.text(asked.played),
        "played_words": _in_all_languages(asked),
        "best": asked.text(answer.choice) if answer.has_values else None,
        "value": value,
        "played_value": None if value is None or lost is None else value - lost,
        "loss": lost,
        "error": None if loss is None else number(loss.error),
        "size": size_of(loss, thresholds_of(asked.game.facts, answer.value)),
        "kind": answer.value if answer.has_values else None,
    }


def _in_all_languages(asked: Question) -> dict[str, str]:
    """Say what was played."""
    said = {}
    for language in LANGUAGES:
        with speaking(language, asked.seat):
            said[language] = _played_words(asked)
    return said


def _played_words(asked: Question) -> str:
    assert asked.played is not None
    (shown,) = documents.choices(asked.game, asked.view, asked.seat, [asked.played])
    return str(shown["words"])


def opinion(
    mind: "Mind", line: str, move: int, is_open: bool, language: str, seconds: float
) -> Iterator[Json]:
    """Say what the coach thinks of every action at a move: `Insight`."""
    question = _decision(line, move)
    seen = replace(question, view=_true_state(line, move)) if is_open else question
    coach = mind.coach(question.game.spec, "open" if is_open else "patient")
    name = mind.coach(question.game.spec, "open" if is_open else "usual").spec
    mind.begin()
    with speaking(language, question.seat):
        yield {
            "move": move,
            "seat": question.seat,
            "played": question.text(question.played or 0),
            "played_words": _played_words(question),
            "open": is_open,
            "hint": _hint(Described(question, name, move), coach, seen, seconds),
        }


def _hint(described: Described, coach: Any, question: Question, seconds: float) -> Json:
    """Let a coach think for some time."""
    ends = time.monotonic() + seconds
    last: Answer | None = None
    with closing(think(coach, question)) as answers:
        for answer in answers:
            last = answer
            if time.monotonic() > ends:
                break
    assert last is not None
    return described.hint(last, is_final=True)


def _true_state(line: str, move: int) -> State:
    """Return the position in which a move was made, all cards open.

    Choices of others that lie on the table face down are taken back: they were made at once.
    """
    end = play_again(recall(line)[0])
    table = Table(end.game, end.origin, plays_forced=False)
    seen: dict[Seat, State] = {}
    for seat, action in end.actions[: move - 1]:
        seen = {s: seen[s] if s in seen else table.state.copy() for s in table.movers}
        seen.pop(seat)
        table.play(seat, action)
    seat = end.actions[move - 1][0]
    return seen[seat] if seat in seen else table.state.copy()


def verdict(mind: "Mind", line: str, move: int, action: str, language: str) -> Iterator[Json]:
    """Judge another action at a move, without saying which is the best: `Verdict`."""
    question = _decision(line, move)
    tried = question.game.text.parse_action(question.view, question.seat, action.strip())
    if tried not in question.legal:
        why = question.game.text.explain(question.view, question.seat, tried)
        raise PositionError(why)
    coach = mind.coach(question.game.spec, "usual")
    mind.begin()
    answer = _asked(coach.spec, line, move, mind)
    answer = replace(answer, question=replace(question, played=tried))
    with speaking(language, question.seat):
        yield verdict_document(answer)


def verdict_document(answer: Answer) -> Json:
    """Say how good what was tried is."""
    facts, loss = answer.question.game.facts, answer.loss
    size = size_of(loss, thresholds_of(facts, answer.value))
    if not size:
        size = "best" if answer.question.played == answer.choice else "good"
    lost = None if loss is None else number(loss.value)
    scale = 1 if answer.value == "score" else 100
    unit = documents.unit(facts) if scale == 1 else "%"
    told = {"loss": scale * (lost or 0.0), "unit": unit}
    return {
        "size": size,
        "loss": lost,
        "error": None if loss is None else number(loss.error),
        "words": words(Message(f"web.try-{size}", told)),
    }


def luck(mind: "Mind", line: str, seat: Seat) -> Iterator[Json]:
    """Say what a seat's cards were worth, in all languages."""
    record = parse_record(line)
    mind.begin()
    found = luck_of(record, seat)
    if found is None:
        yield {}
        return
    low, high = found.interval
    facts = mind.game(record.game).facts
    said = {}
    for language in LANGUAGES:
        with speaking(language, seat):
            said[language] = word(
                f"web.luck-{'good' if found.worth >= 0 else 'bad'}",
                worth=abs(found.worth),
                off=CONFIDENCE * found.error,
                spread=found.spread,
                unit=documents.unit(facts),
                bot=found.bot.partition(":")[0],
            )
    yield {
        "result": found.result,
        "adjusted": found.adjusted,
        "low": low,
        "high": high,
        "words": said,
    }


def bots(mind: "Mind", line: str, seat: Seat, spec: str) -> Iterator[Json]:
    """Let bots play the same deal again, and say what they got at a seat."""
    record = parse_record(line)
    game = mind.game(record.game)
    if record.deals:
        yield {}
        return
    agent = load_agent(spec, game)
    mind.begin()
    scores: list[float] = []
    ends = time.monotonic() + BOTS_SECONDS
    while len(scores) < BOTS_GAMES and not (scores and time.monotonic() > ends):
        # A rotation changes nothing but what agents draw.
        rotation = np.array([record.rotation + 1 + len(scores)])
        lineup = np.zeros((1, game.n_seats), np.int64)
        games = Schedule(record.seed, np.array([record.deal]), rotation, lineup)
        scores.append(float(np.asarray(play(game, [agent], games).scores)[0, seat]))
    mean, n = float(np.mean(scores)), len(scores)
    off = CONFIDENCE * float(np.std(scores, ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    yield {"spec": spec, "scores": scores, "mean": mean, "low": mean - off, "high": mean + off}


def imported(mind: "Mind", text: str, language: str) -> Iterator[Json]:
    """Read records or logs of other programs; yield each as a line that replays by itself."""
    with speaking(language):
        yield from _imported(text)


def _imported(text: str) -> Iterator[Json]:
    n_games = n_refused = 0
    for one in _read(text):
        if isinstance(one, str):
            n_refused += 1
            if n_refused <= MOST_REFUSED:
                yield {"refused": one}
            continue
        n_games += 1
        if n_games > MOST_GAMES:
            yield {"refused": word("web.import-many", most=MOST_GAMES)}
            return
        yield _import(one)


def _read(text: str) -> Iterator[Record | str]:
    """Read lines of JSON, or else a log of any format."""
    if text.lstrip().startswith("{"):
        for at, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    yield parse_record(line, f"line {at}")
                except KibitzError as error:
                    yield str(error)
        return
    with tempfile.TemporaryDirectory(prefix="kibitz-import-") as folder:
        path = Path(folder) / "log"
        path.write_text(text, encoding="utf-8", newline="")
        for name in log_formats():
            try:
                yield from _read_log(load_log_format(name).read_log(path, lambda n: None))
            except KibitzError as error:
                yield str(error).replace(str(path), "the log")


def _read_log(found: Iterable[Record | Damage]) -> Iterator[Record | str]:
    """Yield what is in a log; nothing of a text that has no round, and so is none."""
    stray: list[str] = []
    has_round = False
    for one in found:
        told = f"line {one.line}: {one.reason}" if isinstance(one, Damage) else one
        if isinstance(one, Damage) and one.round is None and not has_round:
            stray = [*stray[:MOST_REFUSED], str(told)]
            continue
        has_round = True
        yield from stray
        stray = []
        yield told


def _import(record: Record) -> Json:
    """Return a game with its cards written out, as a table keeps it; or why it cannot be one."""
    if len(record.to_line()) > MOST_RECORD:
        return {"refused": word("web.game-too-long")}
    try:
        table = play_again(record)
        if not table.is_over:
            return {"refused": word("web.import-unfinished")}
        deals = record.deals
        if record.deal:  # a table knows its seed alone
            dealt = (table.game.format(state) for state, _, _ in rounds_of(table))
            deals = tuple(text.partition(" ")[2] for text in dealt)
        again = record.model_copy(update={"deals": deals, "deal": 0, "rotation": 0})
        play_again(again)
    except KibitzError as error:
        return {"refused": str(error)}
    return {"line": again.to_line(), "scores": table.scores.tolist(), "spec": table.game.spec}


def position(
    mind: "Mind", text: str, seat: Seat | None, language: str, seconds: float
) -> Iterator[Json]:
    """Say what the coach thinks of a position or a view: `Analysis` without its table."""
    question = ask_position(text, seat)[0]
    game, at = question.game, question.seat
    coach, usual = (mind.coach(game.spec, how) for how in ("patient", "usual"))
    mind.begin()
    with speaking(language, at):
        described = Described(question, usual.spec, 0)
        yield {
            "game": game.spec,
            "seat": at,
            "position": question.position,
            **_drawn(question),
            "hint": _hint(described, coach, question, seconds) if len(question.legal) > 1 else None,
        }


def card(mind: "Mind", line: str, move: int, language: str) -> Iterator[Json]:
    """Show a decision to practise: the part of a `PracticeCard` that the game draws."""
    question = _decision(line, move)
    with speaking(language, question.seat):
        yield _drawn(question)


def _drawn(question: Question) -> Json:
    """Return what a page draws of a decision."""
    game, view, seat, legal = question.game, question.view, question.seat, question.legal
    return {
        "picture": documents.picture(game, view, seat),
        "choices": documents.choices(game, view, seat, legal),
        "prompt": documents.prompt(game, view, seat, legal),
    }


TASKS: dict[str, Callable[..., Iterator[Json]]] = {
    "replay": replay,
    "survey": survey,
    "judge": judge,
    "opinion": opinion,
    "verdict": verdict,
    "luck": luck,
    "bots": bots,
    "import": imported,
    "position": position,
    "card": card,
}
