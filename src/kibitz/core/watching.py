"""What agents are told beside questions: changes in games they sit in, and the end of games."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kibitz.core.batch import Batch, conceal_all
from kibitz.core.faults import Faults
from kibitz.core.game import States
from kibitz.core.memory import Ints
from kibitz.core.schedule import Schedule, Sitting


class _Watching:
    """What a watching agent saw last, at every seat it has."""

    def __init__(self, agent: int, schedule: Schedule) -> None:
        self.agent = agent
        self.games, self.seats = np.nonzero(schedule.lineup == agent)
        self._seen: npt.NDArray[np.uint8] | None = None

    def look(self, batch: Batch) -> tuple[Ints, States]:
        """Return the indices of seats whose view has changed, and those views."""
        views: States = np.zeros(len(self.games), batch.states.dtype)
        conceal_all(batch.states, self.games, self.seats, views)
        now = views.view(np.uint8).reshape(len(views), -1)
        before = np.zeros_like(now) if self._seen is None else self._seen
        changed = np.flatnonzero((now != before).any(axis=1))
        self._seen = now
        return changed, views[changed]


class Watchers:
    """Tells agents what happens; one that fails at it has a fault in the games it fails at."""

    def __init__(self, sitting: Sitting, faults: Faults) -> None:
        """Find out who wants to know."""
        self._sitting, self._faults = sitting, faults
        agents = range(len(sitting.agents))
        self._watching = [
            _Watching(i, sitting.schedule) for i in agents if sitting.agents[i].watches
        ]

    def __bool__(self) -> bool:
        """Whether anybody wants to see what changes."""
        return bool(self._watching)

    def tell_changes(self) -> None:
        """Show every watching agent what has changed in its view of the games it sits in."""
        here, lineup = self._sitting, self._faults.lineup
        for watching in self._watching:
            agent = watching.agent
            changed, views = watching.look(here.batch)
            still = lineup[watching.games[changed], watching.seats[changed]] == agent
            views = views[still]
            games, seats = watching.games[changed][still], watching.seats[changed][still]

            def watch(
                part: slice,
                agent: int = agent,
                views: States = views,
                games: Ints = games,
                seats: Ints = seats,
            ) -> None:
                # Copied, because faults are looked up in these seats afterwards.
                own = seats[part].copy()
                here.agents[agent].watch(views[part], own, games[part] + here.begin)

            self._tell(agent, games, seats, watch)

    def tell_end(self) -> None:
        """Tell every agent that wants to know which of its games are over."""
        here = self._sitting
        for agent in range(len(here.agents)):
            if not here.agents[agent].forgets:
                continue
            games, seats = np.nonzero(here.schedule.lineup == agent)
            games, first = np.unique(games, return_index=True)

            def end(part: slice, agent: int = agent, games: Ints = games) -> None:
                here.agents[agent].end(games[part] + here.begin)

            self._tell(agent, games, seats[first], end)

    def _tell(self, agent: int, games: Ints, seats: Ints, say: Callable[[slice], None]) -> None:
        """Tell an agent something of all games at once; one by one if it fails."""
        if not len(games):
            return
        faults = self._faults
        try:
            say(slice(None))
        except BaseException as error:
            why, n_faults = faults.blame(error), len(faults)
        else:
            return
        for k in range(len(games)):
            try:
                say(slice(k, k + 1))
            except BaseException as error:
                told = f"{faults.blame(error)} when told what happened,"
                faults.note(agent, int(games[k]), int(seats[k]), told)
        if len(faults) == n_faults:
            told = f"{why} when told of {len(games)} games at once,"
            faults.note(agent, int(games[0]), int(seats[0]), told)
