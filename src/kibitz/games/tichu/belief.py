"""How probable deals are, by how well a policy explains what the others have done.

By what a seat knows all deals are alike. But who holds a pair of aces seldom passes on a king: a
deal is the more probable the likelier a policy does in it what was done. Of an action to which the
policy gives p among n, (1 - doubt) p + doubt / n counts: players are not the policy, and a single
surprise must not rule out a deal.

What a seat decided depends on its own hand and on what everybody saw, so hands are judged and not
deals: a thousand deals have a few dozen hands of each seat. A hand that was judged is judged again
only for what has happened since. All decisions from the first card on count: plays, passes, bombs
that were not laid, wishes, tricks of the Dragon, calls in turn. Calls and gifts before it do not:
whoever made them held other cards, of which three are gone. What others gave each other is drawn.
"""

import math
import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent
from kibitz.core.game import Actions, Seat, States, action_index, legal
from kibitz.core.kernels import kernel
from kibitz.core.rng import RNG, Purpose, Rng, derive
from kibitz.core.table import Game
from kibitz.games.tichu.choices import MAX_LEGAL
from kibitz.games.tichu.history import LOG, UNKNOWN_ORDER, Trace, make_trace, note, retrace
from kibitz.games.tichu.state import SEATS
from kibitz.games.tichu.worlds import draw_given
from kibitz.search.net import NetAgent, NetConfig

MAX_DECISIONS = 120
"""Decisions of one seat in a round that are judged; later ones are not."""

MAX_ASKED = 4096
"""Views that a policy is asked about at a time."""

Floats = npt.NDArray[np.float64]


def mind_of(agent: Agent) -> Agent:
    """Return what plays cards within an agent, with the probabilities of a network if it is one."""
    while isinstance(getattr(agent, "of", None), Agent):
        inner: Any = agent
        agent = inner.of
    if isinstance(agent, NetAgent):
        return NetAgent(agent.game, NetConfig(agent.config.model, agent.config.temperature or 1.0))
    return agent


@kernel
def _write_chances(
    asked: tuple[States, Actions, Actions],
    choices: Actions,
    weights: Floats,
    encoding: np.record,
    doubt: float,
    listed: Actions,
    out: Floats,
) -> None:
    """Write how probable actions are, given weights of choices [views, most].

    Actions that differ in suits alone are the same.
    """
    views, seats, actions = asked
    for k in range(len(views)):
        view, seat = views[k], seats[k]
        wanted = action_index(view, seat, actions[k], encoding)
        n = legal(view, seat, listed)
        total, own = 0.0, 0.0
        for i in range(choices.shape[1]):
            if choices[k, i] > 0 and weights[k, i] > 0:
                total += weights[k, i]
                if action_index(view, seat, choices[k, i], encoding) == wanted:
                    own += weights[k, i]
        chance = own / total if total > 0 else 0.0
        out[k] = math.log((1 - doubt) * chance + doubt / n)


class Judge:
    """Says how probable actions are, by a policy."""

    def __init__(self, game: Game, agent: Agent, doubt: float) -> None:
        """Take what plays cards within an agent."""
        self.game, self.agent, self.doubt = game, mind_of(agent), doubt
        self._encoding = game.encodings["full"].record

    def log_chances(self, views: States, seats: Actions, actions: Actions) -> Floats:
        """Return logarithms of how probable actions are, doubt included."""
        out = np.zeros(len(views))
        for begin in range(0, len(views), MAX_ASKED):
            some = slice(begin, begin + MAX_ASKED)
            asked = views[some], seats[some], actions[some]
            n = len(asked[0])
            rngs = np.full(n, derive(0, Purpose.AGENT), RNG)
            decided = self.agent.act(asked[0], asked[1], rngs, np.full(n, -1))
            choices, weights = decided.choices, decided.weights
            if choices is None or weights is None:
                choices, weights = decided.actions[:, np.newaxis], np.ones((n, 1))
            listed = np.empty(MAX_LEGAL, np.int64)
            _write_chances(asked, choices, weights, self._encoding, self.doubt, listed, out[some])
        return out


def _trace_for(states: States) -> Trace:
    """Return this thread's scratch."""
    trace: Trace | None = getattr(_DESKS, "trace", None)
    if trace is None:
        trace = _DESKS.trace = make_trace(np.zeros_like(states))
    return trace


_DESKS = threading.local()


class Memory:
    """What one seat has seen of a round, and what it thinks of hands."""

    def __init__(self, blank: States) -> None:
        """Begin with nothing."""
        self.last = blank.copy()
        self.log: np.record = np.zeros(1, LOG)[0]
        self.judged: dict[tuple[int, int], tuple[int, float]] = {}  # events, log of the weight

    def see(self, view: np.record) -> None:
        """Look at the next view of the seat; the same once more changes nothing."""
        if view.dealt != self.last[0].dealt:
            self.judged.clear()
        if view.tobytes() != self.last[0].tobytes():
            note(self.last[0], view, self.log, _trace_for(self.last))
            self.last[0] = view


def weigh_deals(
    judge: Judge, memory: Memory, worlds: States, seat: Seat, rng: Rng
) -> Floats | None:
    """Return weights of worlds, which add up to 1; None if what happened is not known.

    Args:
        judge: by whom.
        memory: of the seat that asks; hands are kept in it.
        worlds: what fits; cards that others gave each other are drawn in those that are asked.
        seat: who asks: what this seat did explains nothing.
        rng: for these cards.
    """
    log, logs = memory.log, np.zeros(len(worlds))
    if not log.is_whole:
        return None
    room = judge.game.blank(MAX_DECISIONS + 1)
    done = np.zeros(MAX_DECISIONS + MAX_LEGAL, np.int64)
    parts: list[tuple[tuple[int, int], States, Actions, Seat]] = []
    found: list[tuple[npt.NDArray[np.int64], list[tuple[int, int]]]] = []
    for other in range(SEATS):
        if other == seat:
            continue
        hands = worlds["hand"][:, other] | worlds["played"][:, other]
        different, first, owners = np.unique(hands, return_index=True, return_inverse=True)
        keys = [(other, int(hand)) for hand in different]
        found.append((owners, keys))
        for key, k in zip(keys, first.tolist(), strict=True):
            since, _ = memory.judged.get(key, (0, 0.0))
            if since == log.n_events:
                continue
            draw_given(worlds[k], rng)
            n = retrace(worlds[k], log, other, since, room, done)
            if n == UNKNOWN_ORDER:
                return None
            parts.append((key, room[:n].copy(), done[:n].copy(), other))
    _judge_parts(judge, memory, parts)
    for owners, keys in found:
        logs += np.array([memory.judged[key][1] for key in keys])[owners]
    weights: Floats = np.exp(logs - logs.max())
    return weights / weights.sum()


def _judge_parts(
    judge: Judge, memory: Memory, parts: list[tuple[tuple[int, int], States, Actions, Seat]]
) -> None:
    """Judge what several hands would have done, all at once, and remember it."""
    if not parts:
        return
    views = np.concatenate([part[1] for part in parts])
    actions = np.concatenate([part[2] for part in parts])
    seats = np.concatenate([np.full(len(part[1]), part[3], np.int64) for part in parts])
    logs = judge.log_chances(views, seats, actions) if len(views) else np.zeros(0)
    ends = np.cumsum([len(part[1]) for part in parts])
    n_events = int(memory.log.n_events)
    for (key, *_), more in zip(parts, np.split(logs, ends[:-1]), strict=True):
        _, before = memory.judged.get(key, (0, 0.0))
        memory.judged[key] = n_events, before + float(more.sum())
