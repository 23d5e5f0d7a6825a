"""Play, measure and learn games with hidden information and simultaneous moves.

>>> import kibitz
>>> game = kibitz.load_game("nimmt:players=5")
>>> table = game.deal(seed=7)
>>> table.play(table.seat_to_move, table.legal()[0])
"""

from typing import TYPE_CHECKING, Any

from kibitz._version import __version__
from kibitz.core.errors import (
    AgentError,
    IllegalAction,
    KibitzError,
    PositionError,
    RecordError,
    SpecError,
    StoreError,
    TrainingError,
)
from kibitz.core.registry import load_agent, load_game, open_table

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.decisions import Decisions
    from kibitz.core.driver import play_out
    from kibitz.core.record import Record, parse_record, read_records, replay
    from kibitz.core.table import Game, Table

__all__ = [
    "Agent",
    "AgentError",
    "Decisions",
    "Game",
    "IllegalAction",
    "KibitzError",
    "PositionError",
    "Record",
    "RecordError",
    "SpecError",
    "StoreError",
    "Table",
    "TrainingError",
    "__version__",
    "load_agent",
    "load_game",
    "open_table",
    "parse_record",
    "play_out",
    "read_records",
    "replay",
]

_COMPILED = {  # these load the compiler, so they are imported when first asked for
    "Agent": "agent",
    "Decisions": "decisions",
    "Game": "table",
    "Record": "record",
    "Table": "table",
    "parse_record": "record",
    "play_out": "driver",
    "read_records": "record",
    "replay": "record",
}


def __getattr__(name: str) -> Any:
    if name in _COMPILED:
        from importlib import import_module

        return getattr(import_module(f"kibitz.core.{_COMPILED[name]}"), name)
    raise AttributeError(f"module 'kibitz' has no attribute {name!r}")
