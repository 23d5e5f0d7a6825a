"""What a server is told when it starts."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Config:
    """Settings of a server; times are in seconds."""

    database: str | Path | None = None  # file or URL; the user's own if left out
    public_url: str = ""  # where people find it, if a proxy stands before it
    hosts: tuple[str, ...] = ()  # names under which it may be called; () = any
    patience: float = 120.0  # for a decision that others wait for
    absence: float = 60.0  # for somebody whose connection is gone, likewise
    deadline: float = 10.0  # for a bot's decision
    pace: float = 1.0  # how long pauses are, in parts of what games ask for; 0 for none
    most_wait: float = 15.0  # of a pause, for somebody who asks for more time
    watch_beat: float = 1.0  # between the actions of bots that are watched
    idle: float = 600.0  # after which a table that nobody looks at is put away
    most_tabs: int = 4  # of one person at one table
    most_lines: int = 200  # of all people at one table
    warms: bool = True  # whether all games are prepared when the server starts
    counts_requests: bool = True  # whether clients that ask too fast are refused
    clock_step: float = 1.0  # between looks at who is away
