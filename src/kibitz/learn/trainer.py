"""The trainer: runs an algorithm step by step, and keeps all of it in a folder.

Checkpoints are written by the number of steps, never by the clock, and one more when a run is
stopped. They change nothing of what is learnt: a run that was killed and resumed ends with the same
weights as one that was not, as long as `Algorithm.state` holds what the next step depends on.

A bug in an algorithm raises at once, with its traceback; the last checkpoint stays.
"""

import math
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from kibitz.core.errors import KibitzError, SpecError, TrainingError, clip
from kibitz.core.registry import load_game
from kibitz.learn.algorithm import Algorithm, Metrics
from kibitz.learn.checkpoint import (
    Checkpoint,
    has_checkpoint,
    in_words,
    read_checkpoint,
    write_checkpoint,
)
from kibitz.learn.drafts import MODEL, Making, save_drafts
from kibitz.learn.folder import CHECKPOINT, open_run
from kibitz.learn.logbook import Logbook
from kibitz.learn.measuring import CutOff, Measured, Referee
from kibitz.learn.recipe import Recipe, check_extra, find_algorithm, make_config

NOT_MEASURED = "not measured"

BROKEN = (KibitzError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What checkpoints make whoever restores them raise, if they hold something else."""


@dataclass(frozen=True)
class Progress:
    """Where a run is, for whoever watches it."""

    step: int
    steps: int
    metrics: Metrics  # of the last step
    strength: str  # as measured last
    stopping: bool = False  # somebody wants it to stop, which it does now


@dataclass(frozen=True)
class Result:
    """What came of training."""

    folder: Path
    step: int
    is_finished: bool  # all steps are taken, and measured if they are to be
    seconds: float  # that training has taken, from the first step on
    strength: str  # as measured last
    metrics: dict[str, float] = field(default_factory=dict)  # means of the last entry of the log
    measured: list[Measured] = field(default_factory=list)  # the last measurement of this call


def train(
    recipe: Recipe,
    folder: Path | str,
    *,
    minutes: float | None = None,
    resume: bool = False,
    algorithm: type[Algorithm] | None = None,
    tell: Callable[[Progress], None] | None = None,
) -> Result:
    """Train by a recipe until its last step, or until the time is up or Ctrl-C is pressed.

    Args:
        recipe: what to train.
        folder: where all of it is kept; it must be empty, or hold the same run if `resume`.
        minutes: stop after the step, or in the measurement, in which so much time is up; `resume`
            goes on later.
        resume: go on with the run in the folder.
        algorithm: what trains, if it is not the one that the recipe names.
        tell: called after every step, and when a measurement is cut off.

    Raises:
        SpecError: the recipe makes no sense.
        TrainingError: the folder holds something else or cannot be written, an extra is missing,
            or numbers are not finite any more. The last checkpoint is whole.
    """
    check_extra()
    if minutes is not None and not 0 < minutes < 1e7:
        raise SpecError(f"minutes are a number above 0, got {clip(minutes)}")
    folder = Path(folder)
    kind = find_algorithm(recipe.algorithm) if algorithm is None else algorithm
    config = make_config(recipe, kind)
    with ExitStack() as stack:
        referee = None if recipe.evaluation is None else Referee(recipe, recipe.evaluation)
        stack.enter_context(open_run(folder, recipe, resume))
        training = _Training(recipe, folder, kind, config, referee)
        training.try_agent()
        if has_checkpoint(folder / CHECKPOINT):
            training.restore(read_checkpoint(folder / CHECKPOINT))
        training.log = stack.enter_context(Logbook(folder, training.step, training.measured_at))
        wishes = stack.enter_context(_interrupts())
        deadline = math.inf if minutes is None else time.monotonic() + 60 * minutes
        return training.run(lambda: bool(wishes) or time.monotonic() > deadline, tell)


class _Training:
    """A run in this process."""

    log: Logbook

    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        kind: type[Algorithm],
        config: Any,
        referee: Referee | None,
    ) -> None:
        """Prepare the first step."""
        import torch

        torch.set_num_threads(recipe.threads)
        torch.manual_seed(recipe.seed)  # for what draws from torch's own stream
        self.recipe, self.folder, self._referee = recipe, folder, referee
        self._game = load_game(recipe.game)
        self._algorithm = kind(self._game, config, recipe.seed)
        self.step = 0
        self._seconds, self._since = 0.0, time.monotonic()
        self._strength, self.measured_at = NOT_MEASURED, 0
        self._measured: list[Measured] = []
        self._told: dict[str, list[float]] = {}  # metrics since the last entry of the log
        self._means: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        """How long training has taken, from the first step on."""
        return self._seconds + time.monotonic() - self._since

    def try_agent(self) -> None:
        """Load what has been learnt so far as the agent that is going to be measured.

        So an agent that cannot play it is refused before the first step, not after the last.
        """
        if self._referee is None:
            return
        making = Making(self.step, 0.0, NOT_MEASURED)
        with tempfile.TemporaryDirectory(prefix="kibitz-") as folder:
            drafts = self._algorithm.drafts()
            save_drafts(Path(folder), self._game, self.recipe, drafts, making)
            self._referee.player(Path(folder) / MODEL)

    def run(self, is_over: Callable[[], bool], tell: Callable[[Progress], None] | None) -> Result:
        """Take steps until the last one, or until somebody wants an end."""
        recipe, kept = self.recipe, self.step
        stopped = False

        def say(metrics: Metrics) -> None:
            if tell is not None:
                tell(Progress(self.step, recipe.steps, metrics, self._strength, stopped))

        if kept and not all((self.folder / name).exists() for name in self._algorithm.drafts()):
            self._save()  # whoever trained before was killed while writing, or saved less
        if kept and self.measured_at < kept and self._is_measured_now(kept >= recipe.steps):
            self._save()
            stopped = not self._measure(is_over)  # whoever trained before left it or was killed
            if stopped:
                say({})
        while self.step < recipe.steps and not stopped:
            metrics = self._take_step()
            is_last = self.step >= recipe.steps
            stopped = is_over()
            is_measured = self._is_measured_now(is_last)
            if is_measured or is_last or stopped or self.step % recipe.checkpoint == 0:
                self._keep()
                kept = self.step
            if is_measured and not stopped:
                stopped = not self._measure(is_over)
            say(metrics)
        assert kept == self.step
        is_measured = recipe.evaluation is None or self.measured_at == self.step
        finished = self.step >= recipe.steps and is_measured
        told = self._strength, self._means, self._measured
        return Result(self.folder, self.step, finished, self.seconds, *told)

    def _take_step(self) -> Metrics:
        """Take a step, and note what it tells."""
        metrics = {name: float(number) for name, number in self._algorithm.step().items()}
        self.step += 1
        for name, number in metrics.items():
            if not math.isfinite(number):
                raise TrainingError(
                    f"step {self.step}: {plain_name(name)} is {number}: what was kept is from "
                    "before that; train with other values, such as a smaller rate"
                )
            self._told.setdefault(name, []).append(number)
        if self.step % self.recipe.steps_per_line == 0:
            self._write_means()
        return metrics

    def _write_means(self) -> None:
        """Write the means of all steps since the last entry to the log."""
        if self._told:
            self._means = {name: sum(told) / len(told) for name, told in self._told.items()}
            self.log.write(self.step, {**self._means, "seconds": self.seconds})
            self._told = {}

    def _is_measured_now(self, is_last: bool) -> bool:
        evaluation = self.recipe.evaluation
        return evaluation is not None and (is_last or self.step % evaluation.every == 0)

    def _measure(self, is_over: Callable[[], bool]) -> bool:
        """Measure what has been learnt; the model says so from now on.

        False if somebody wants an end before: whoever resumes measures it again.
        """
        assert self._referee is not None
        try:
            measured = self._referee.measure(self.folder / MODEL, is_over)
            graded = self._referee.grade(self.folder / MODEL, is_over)
        except CutOff:
            return False
        self._measured = measured
        told = "; ".join(map(str, [*self._measured, *([graded] if graded else [])]))
        self._strength, self.measured_at = f"after step {self.step}: {told}", self.step
        for one in self._measured:
            self.log.write(self.step, one.numbers, opponent=one.opponent)
        if graded:
            self.log.write(self.step, graded.numbers, opponent="solver")
        self._keep()
        return True

    def _keep(self) -> None:
        """Write a checkpoint, and the models."""
        import torch

        self._write_means()
        own = {
            "rules": self._game.facts.version,
            "seconds": self.seconds,
            "strength": self._strength,
            "measured_at": self.measured_at,
            "torch": torch.get_rng_state().numpy(),
        }
        state = {"trainer": own, "algorithm": self._algorithm.state()}
        write_checkpoint(self.folder / CHECKPOINT, self.step, state)
        self._save()

    def _save(self) -> None:
        making = Making(self.step, self.seconds, self._strength)
        save_drafts(self.folder, self._game, self.recipe, self._algorithm.drafts(), making)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint."""
        import torch

        from kibitz.learn.states import restore_generator

        where = f"checkpoint {clip(self.folder / CHECKPOINT, 200)}"
        try:
            own, state = checkpoint.state["trainer"], checkpoint.state["algorithm"]
            rules = int(own["rules"])
            self._seconds, self._strength = float(own["seconds"]), str(own["strength"])
            self.measured_at = int(own["measured_at"])
            if not 0 <= self._seconds < math.inf:
                raise SpecError(f"it took {self._seconds} seconds")
            if not 0 <= self.measured_at <= checkpoint.step:
                raise SpecError(f"step {checkpoint.step} was measured at step {self.measured_at}")
            restore_generator(torch.default_generator, own["torch"])
        except BROKEN as error:
            raise TrainingError(f"{where} is not of a run: {in_words(error)}") from None
        if rules != self._game.facts.version:
            raise TrainingError(
                f"{where} is of version {rules} of {self._game.facts.name}, this is version "
                f"{self._game.facts.version}: train from the beginning, in another folder"
            )
        try:
            self._algorithm.restore(state)
            taken = getattr(self._algorithm, "n_steps", checkpoint.step)
            if taken != checkpoint.step:
                raise SpecError(f"it has taken {taken} steps in a run of {checkpoint.step}")
        except BROKEN as error:
            raise TrainingError(
                f"{where} does not fit {self.recipe.algorithm}: {in_words(error)}"
            ) from error
        self.step = checkpoint.step


def plain_name(name: str) -> str:
    """Write the name of a metric as it is told to people."""
    return clip(name)[1:-1]


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Collect Ctrl-C in a list while the block runs, instead of stopping in the middle of a step.

    The second one stops at once, as usual.
    """
    wishes: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield wishes
        return
    before = signal.getsignal(signal.SIGINT)

    def wish(number: int, frame: FrameType | None) -> None:
        wishes.append(number)
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, wish)
    try:
        yield wishes
    finally:
        signal.signal(signal.SIGINT, before)
