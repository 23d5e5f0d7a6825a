"""The folder of a training run: who may write there, and which recipe it was begun with.

recipe.toml       the recipe with all that was changed
checkpoint/       all that the next step depends on (`checkpoint`)
model/            what has been learnt, as a model that plays at once; other drafts beside it
log.jsonl         what steps and measurements told
events.out.…      the same, for TensorBoard
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kibitz.core.errors import KibitzError, SpecError, TrainingError, clip, plain
from kibitz.learn.checkpoint import has_checkpoint, remove_partials, write_whole
from kibitz.learn.logbook import EVENTS, LOG, last_step
from kibitz.learn.recipe import Recipe, read_recipe, write_recipe
from kibitz.search.models import RUN_MODEL

RECIPE, CHECKPOINT, LOCK = "recipe.toml", "checkpoint", ".lock"

_UNPUT, _PUT = re.compile(r"\.[a-z][a-z0-9_-]*\.[a-z0-9_]{8}"), {"new", "old"}
"""Folders beside a model in which `save_model` prepares it and puts away the one before."""

FIXED = ("game", "algorithm", "seed", "threads", "config")
"""What a run that goes on must have as it was: the other values do not change what is learnt."""


def stored_recipe(folder: Path) -> Recipe:
    """Return the recipe that the run in a folder was begun with.

    Raises:
        TrainingError: there is no run in it.
    """
    if not (folder / RECIPE).is_file():
        raise TrainingError(
            f"there is no run to resume in {clip(folder, 200)}: leave out --resume, or name "
            "another folder with --out"
        )
    try:
        return read_recipe(folder / RECIPE)
    except SpecError as error:
        raise TrainingError(str(error)) from None


@contextmanager
def open_run(folder: Path, recipe: Recipe, resume: bool) -> Iterator[None]:
    """Hold the folder of a run while the block runs; nobody else can train there.

    Raises:
        TrainingError: it holds something else, or cannot be written.
    """
    if "," in str(folder.absolute()):
        raise TrainingError(f"the folder of a run has no comma in its path: {clip(folder, 200)}")
    try:
        if resume:
            _check_same(folder, recipe)
        else:
            _check_free(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            if resume:
                _check_checkpoint(folder)
            else:
                _check_free(folder)  # somebody may have been faster
            _tidy(folder)
            write_whole(folder / RECIPE, write_recipe(recipe).encode())
            try:
                yield
            except (KibitzError, OSError):
                if not resume and not has_checkpoint(folder / CHECKPOINT):
                    _free(folder)
                raise
    except OSError as error:
        reason = error.strerror or plain(str(error))
        raise TrainingError(f"{clip(folder, 200)} cannot be written: {reason}") from None


def _check_free(folder: Path) -> None:
    """Refuse a folder that holds anything."""
    if (folder / RECIPE).exists():
        raise TrainingError(
            f"{clip(folder, 200)} holds a run already: go on with it by --resume, or name another "
            "folder with --out"
        )
    if folder.exists() and (
        not folder.is_dir() or any(path.name != LOCK for path in folder.iterdir())
    ):
        raise TrainingError(f"{clip(folder, 200)} holds other files: name another with --out")


def _check_same(folder: Path, recipe: Recipe) -> None:
    """Refuse to go on with the run of another recipe."""
    begun = stored_recipe(folder)
    for key in FIXED:
        old, new = getattr(begun, key), getattr(recipe, key)
        if old == new:
            continue
        if isinstance(old, dict):
            key = min(name for name in old | new if old.get(name) != new.get(name))
            old, new = old.get(key, "its default"), new.get(key, "its default")
        raise TrainingError(
            f"the run in {clip(folder, 200)} was begun with {key} = {clip(old)[1:-1]}, not "
            f"{clip(new)[1:-1]}: go on as it was, or name another folder with --out"
        )


def _check_checkpoint(folder: Path) -> None:
    """Refuse to begin anew where there was a checkpoint, which is missing now."""
    checkpoint = folder / CHECKPOINT
    if checkpoint.exists() and not checkpoint.is_dir():
        raise TrainingError(
            f"{clip(checkpoint, 200)} is not a folder, so the run cannot go on: put the checkpoint "
            "back, or train again in another folder with --out"
        )
    if has_checkpoint(checkpoint):
        return
    # The model is written after the checkpoint; entries come before it, but no later ones.
    has_model = (folder / RUN_MODEL).exists()
    if has_model or last_step(folder) > stored_recipe(folder).checkpoint:
        raise TrainingError(
            f"the checkpoint of the run in {clip(folder, 200)} is missing: put "
            f"{CHECKPOINT}/ back as it was, or train again in another folder with --out"
        )


def _free(folder: Path) -> None:
    """Remove what a run has written that has no checkpoint: the folder is free for another try."""
    for path in (folder / RECIPE, folder / LOG, *folder.glob(f"{EVENTS}*")):
        with suppress(OSError):
            path.unlink()
    with suppress(OSError):
        (folder / CHECKPOINT).rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep others from training in a folder; the lock goes when the process does."""
    try:
        import fcntl
    except ImportError:  # not on this system: people must take care
        yield
        return
    with (folder / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TrainingError(
                f"somebody else is training in {clip(folder, 200)}: wait for that, or name "
                "another folder with --out"
            ) from None
        yield


def _tidy(folder: Path) -> None:
    """Remove what somebody who was killed had half written, and nothing else."""
    for name in (RECIPE, LOG):
        remove_partials(folder / name)
    for path in folder.iterdir():
        with suppress(OSError):
            if _UNPUT.fullmatch(path.name) and {one.name for one in path.iterdir()} <= _PUT:
                shutil.rmtree(path)
