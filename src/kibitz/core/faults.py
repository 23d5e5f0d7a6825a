"""What becomes of agents that misbehave: who is to blame, what is written down, who plays on."""

from dataclasses import replace

import numpy as np

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.conduct import Check, Conduct, Fault, Misbehaviour, reason
from kibitz.core.decisions import Decisions
from kibitz.core.errors import AgentError
from kibitz.core.game import Action, Actions, Scores, States
from kibitz.core.rng import Purpose, Rngs, below, derive
from kibitz.core.schedule import Sitting


class Complaint(AgentError):
    """What the loop has to say about an answer, in the middle of a sentence."""


def read_actions(decisions: object, n: int) -> Actions:
    """Return what an agent answered to n views; a Complaint if that is not n actions."""
    try:
        actions = np.asarray(getattr(decisions, "actions", None))
    except ValueError:  # rows of different lengths
        actions = np.zeros(0, object)
    if actions.shape != (n,) or actions.dtype.kind not in "iu":
        raise Complaint(
            f"answered {n} views with actions of shape {actions.shape} and type {actions.dtype}"
        )
    return actions.astype(np.int64, copy=False)


class Substitute(Agent):
    """Plays at random for a seat that has forfeited its game."""

    name = "substitute"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Choose any listed action with the same probability."""
        chosen = []
        for view, seat, rng in zip(views, seats, rngs, strict=True):
            listed = self.game.legal(view, int(seat))
            chosen.append(listed[below(rng, len(listed))])
        return Decisions(np.array(chosen, np.int64))


class Faults:
    """Notes what agents do wrong; `lineup` says who plays each seat now.

    A forfeited seat goes to the substitute, whose number follows those of the agents.
    """

    def __init__(self, sitting: Sitting, conduct: Conduct, stop: Check | None) -> None:
        """Begin without any; see `Driver` for what `stop` is."""
        self.conduct = conduct
        self.lineup = sitting.schedule.lineup
        self.substitute = Substitute(sitting.game)
        self._sitting = sitting
        self._faults: list[Fault] = []
        self._stop = stop

    def __len__(self) -> int:
        """How many there are so far."""
        return len(self._faults)

    def blame(self, error: BaseException) -> str:
        """Say what an agent did wrong; what is no agent's fault, or shall not be one, is raised."""
        self.check_stop()
        if self.conduct.on_error == "raise" and not isinstance(error, Complaint):
            raise error
        return reason(error)

    def check_stop(self) -> None:
        """Raise what Ctrl-C raised, if it came: an agent may have swallowed it."""
        if self._stop is not None:
            self._stop()

    def refuse(self, choice: np.record, action: int) -> Action:
        """Deal with an illegal action; return one that is legal instead."""
        state = self._sitting.batch.states[choice.chooser_game]
        why = self._sitting.game.text.explain(state, int(choice.chooser_seat), action)
        return self.fail(choice, f"chose {action}, which is illegal ({why}),")

    def fail(self, choice: np.record, why: str) -> Action:
        """Deal with a fault at a choice; return a legal action instead."""
        i, seat = int(choice.chooser_game), int(choice.chooser_seat)
        self.note(int(choice.chooser_agent), i, seat, why)
        return self._legal_instead(i, seat)

    def note(self, agent: int, i: int, seat: int, why: str) -> None:
        """Write a fault in game i down; stop, or let the substitute take the seat."""
        here = self._sitting
        if self.lineup[i, seat] == len(here.agents):  # it has forfeited this game already
            return
        state, spec = here.batch.states[i], here.agents[agent].spec
        n_actions = int(here.batch.books[i].n_decisions.sum())
        where = (here.begin + i, *here.place(i), seat, here.game.format(state))
        self._faults.append(Fault(agent, spec, *where, why, n_actions))
        if self.conduct.on_error != "forfeit":
            raise Misbehaviour(self.written()[-1])
        if self.lineup is here.schedule.lineup:
            self.lineup = self.lineup.copy()
        self.lineup[i, seat] = len(here.agents)

    def _legal_instead(self, i: int, seat: int) -> Action:
        """Draw the first action of the substitute, which was not asked in time."""
        here = self._sitting
        listed = here.game.legal(here.batch.states[i], seat)
        rng = derive(here.schedule.seed, Purpose.SUBSTITUTE, *here.place(i), seat)
        return listed[below(rng, len(listed))]

    def judge(self, scores: Scores) -> Scores:
        """Return scores in which those who forfeited have the lowest score there is."""
        game = self._sitting.game
        lowest, highest = game.score_range
        forfeited: dict[int, set[int]] = {}
        for fault in self._faults:
            sides = forfeited.setdefault(fault.game - self._sitting.begin, set())
            sides.add(int(game.sides[fault.seat]))
        for i, sides in forfeited.items():
            lost = np.isin(game.sides, list(sides))
            if game.n_sides == 2 and len(sides) == 1:  # what one loses, the other wins
                scores[i, ~lost] = highest
            scores[i, lost] = lowest
        return scores

    def written(self) -> list[Fault]:
        """Return the faults, each with the record of its game up to there."""
        if not self._faults:
            return []
        actions = self._sitting.actions()
        written = []
        for fault in self._faults:
            i = fault.game - self._sitting.begin
            record = self._sitting.record(i, actions[i][: fault.n_actions], None)
            written.append(replace(fault, record=record))
        return written
