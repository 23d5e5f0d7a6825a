"""What an agent thinks of decisions: values with errors, what was lost, and what is a mistake."""

import math
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from kibitz.core.agent import Agent
from kibitz.core.conduct import asking
from kibitz.core.decisions import Decisions, ValueKind
from kibitz.core.errors import AgentError, clip
from kibitz.core.game import Action, Seat, apply, is_legal, movers
from kibitz.core.messages import Message
from kibitz.core.rng import Purpose, Rng, derive
from kibitz.review.questions import Question

CLEAR = 2.0
"""Standard errors by which an action has to be behind to be called clearly worse."""

ROUNDING = 1e-9
"""Values that differ by less are equal: means are added up in different orders."""

FEWEST_VISITS = 5
"""With fewer, all with the same outcome by chance, the standard error is zero and says nothing."""


@dataclass(frozen=True)
class Opinion:
    """What an agent thinks of one action; None where it does not say."""

    action: Action
    value: float | None = None
    error: float | None = None  # standard error of the value
    visits: int | None = None
    share: float | None = None  # how probably it would be chosen, or its share of the visits
    wins: float | None = None  # the share of wins, where it is known beside the value
    win_error: float | None = None  # standard error of that
    verdict: Message | None = None  # what is certain of it, such as "wins in 11"


@dataclass(frozen=True)
class Loss:
    """How much better the agent's choice is than what was played."""

    value: float
    error: float | None
    is_clear: bool
    is_rare: bool = False  # what was played was tried so seldom that its error would say nothing


@dataclass(frozen=True)
class Answer:
    """What an agent thinks of a decision."""

    question: Question
    choice: Action
    opinions: list[Opinion]  # the choice first, then from the best value to the worst
    line: list[tuple[Seat, str]] = field(default_factory=list)  # what it expects everybody to play
    sims: int | None = None
    value: str = "score"  # what values are: score, rank or win

    @property
    def has_values(self) -> bool:
        """Whether the agent puts a value on anything."""
        return any(opinion.value is not None for opinion in self.opinions)

    @property
    def has_wins(self) -> bool:
        """Whether the agent knows shares of wins beside its values."""
        return any(opinion.wins is not None for opinion in self.opinions)

    @property
    def is_exact(self) -> bool:
        """Whether the agent knows for certain what every action leads to."""
        return all(opinion.verdict is not None for opinion in self.opinions)

    @property
    def win_rule(self) -> Message | None:
        """What is counted as a win beside values; None if nothing is."""
        kind = "gain" if self.question.game.facts.wins_by_gain else "best"
        return Message(f"review.win-{kind}") if self.has_wins else None

    @property
    def loss(self) -> Loss | None:
        """What was lost by playing something else; None if the agent has no opinion of it."""
        best = self.opinions[0]
        played = next((one for one in self.opinions if one.action == self.question.played), None)
        if played is None or best.value is None or played.value is None:
            return None
        if best is played:
            return Loss(0.0, 0.0, False)
        value = best.value - played.value
        if abs(value) < ROUNDING:
            return Loss(0.0, 0.0, False)
        is_known = played.visits is None or played.visits >= FEWEST_VISITS
        if best.error is None or played.error is None or not is_known:
            return Loss(value, None, False, not is_known)
        error = math.hypot(best.error, played.error)
        return Loss(value, error, value > CLEAR * error)


def ask(agent: Agent, question: Question, seed: int = 0) -> Answer:
    """Ask an agent about a decision; what is forced is answered for it.

    The same view gets the same random stream, wherever it comes from.
    """
    if len(question.legal) == 1:
        return _forced(question)
    with asking(agent.spec):
        found = agent.decide(question.view.copy(), question.seat, _stream(question, seed))
        agent.end(np.zeros(1, np.int64))  # the next question is another game to it
    return _read(agent, question, found)


def think(agent: Agent, question: Question, seed: int = 0) -> Generator[Answer, None, None]:
    """Ask an agent about a decision, and yield answers that improve: the last is that of `ask`.

    Whoever stops reading stops the search.
    """
    if len(question.legal) == 1:
        yield _forced(question)
        return
    try:
        thoughts = agent.think(question.view.copy(), question.seat, _stream(question, seed))
        with closing(_thoughts(agent, thoughts)) as found:
            for decisions in found:
                yield _read(agent, question, decisions)
    finally:
        with asking(agent.spec):
            agent.end(np.zeros(1, np.int64))


def _thoughts(agent: Agent, thoughts: Iterator[Decisions]) -> Generator[Decisions, None, None]:
    """Yield what an agent thinks; what it raises is its fault."""
    try:
        while True:
            with asking(agent.spec):
                found = next(thoughts, None)
            if found is None:
                return
            yield found
    finally:
        if isinstance(thoughts, Generator):
            thoughts.close()


def _stream(question: Question, seed: int) -> Rng:
    return derive(seed, Purpose.AGENT, 0, 0, question.seat, 0)


def _forced(question: Question) -> Answer:
    only = question.legal[0]
    return Answer(question, only, [Opinion(only)])


def _read(agent: Agent, question: Question, found: Decisions) -> Answer:
    """Read what an agent decided; AgentError if it is illegal or makes no sense."""
    seat = question.seat
    with asking(agent.spec):
        choice = int(found.actions[0])
    if not is_legal(question.view, seat, choice):
        why = question.game.text.explain(question.view, seat, choice)
        raise AgentError(
            f"agent {clip(agent.spec)} chose {choice}, which is illegal ({why}), "
            f"in {question.position}"
        )
    with asking(agent.spec):  # what it tells beside may have any shape
        sims = found.info.get("sims")
        n_sims = None if sims is None else int(sims[0])
        kind = found.kind(0)
        opinions = _opinions(found, question.legal, choice)
        line = _line(question, choice, found)
    value = "score" if kind == ValueKind.NONE else kind.name.lower()
    return Answer(question, choice, opinions, line, n_sims, value)


def _opinions(found: Decisions, legal: list[Action], choice: Action) -> list[Opinion]:
    """Read what was found about every legal action."""
    n = None if found.n_choices is None else int(found.n_choices[0])
    listed = [] if found.choices is None else found.choices[0, :n].tolist()
    verdicts = dict((found.info.get("verdicts") or [[]])[0] or [])
    order = list(verdicts)  # equal values may differ in how soon the end comes
    total = 0.0 if found.weights is None else float(np.nansum(found.weights[0]))

    def opinion(action: Action) -> Opinion:
        if action not in listed:
            return Opinion(action)
        k = listed.index(action)
        value, error, weight, visits, wins, win_error = (
            None if column is None or not math.isfinite(column[0, k]) else float(column[0, k])
            for column in (
                *(found.values, found.errors, found.weights, found.visits),
                *(found.wins, found.win_errors),
            )
        )
        share = weight / total if total and weight is not None else None
        n = None if visits is None else round(visits)
        verdict = verdicts.get(action)
        if not isinstance(verdict, Message | None):
            raise AgentError(f"expected a message about {action}, got {clip(verdict)}")
        return Opinion(action, value, error, n, share, wins, win_error, verdict)

    def rank(one: Opinion) -> tuple[bool, float, int]:
        value = math.inf if one.value is None else -one.value
        return one.action != choice, value, order.index(one.action) if one.verdict else 0

    actions = legal if choice in legal else [choice, *legal]
    return sorted(map(opinion, actions), key=rank)


def _line(question: Question, choice: Action, found: Decisions) -> list[tuple[Seat, str]]:
    """Write the line an agent expects, where the view shows what it leads to."""
    if question.game.has_secrets:
        return []
    lines = found.info.get("lines")
    line = lines[0] if lines else []
    if next((action for seat, action in line if seat == question.seat), None) != choice:
        return []
    state, written = question.view.copy(), []
    for seat, action in line:
        if not int(movers(state)) >> seat & 1 or not is_legal(state, seat, action):
            break
        written.append((seat, question.game.text.format_action(state, seat, action)))
        apply(state, seat, action)
    return written if len(written) > 1 else []
