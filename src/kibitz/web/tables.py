"""All tables of a server: made, found, put away, and gone on with after a restart."""

import asyncio
import logging
import secrets
import time
from datetime import UTC, datetime, timedelta

from kibitz.core.agent import Agent
from kibitz.core.errors import KibitzError, SpecError
from kibitz.core.messages import Message
from kibitz.core.registry import load_game
from kibitz.core.spec import spec_name
from kibitz.core.table import Game
from kibitz.host import PERSON
from kibitz.store import play as rows
from kibitz.store import schema
from kibitz.store.play import GuestRow, PlayStore, SeatRow, TableRow
from kibitz.web import fair
from kibitz.web.config import Config
from kibitz.web.driving import Driver
from kibitz.web.levels import Level, find_level, levels_of, usual_level
from kibitz.web.opening import hosted, record_of_row
from kibitz.web.refusals import Refused
from kibitz.web.room import Room
from kibitz.web.seats import bot, is_person, person
from kibitz.web.warming import Warming
from kibitz.web.wishes import NewTable
from kibitz.web.workers import Absent, Workers
from kibitz.web.writer import Writer

ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
ID_LETTERS = 12
FRESH = timedelta(days=1)
MOST_UNFINISHED = 100
"""Tables of one guest and day that are not over."""

LOG = logging.getLogger("kibitz.web")


def new_id() -> str:
    """Draw the id of a table or a guest, which nobody can guess."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LETTERS))


class Tables:
    """The rooms that are in memory, and the way to all others."""

    def __init__(self, store: PlayStore, writer: Writer, workers: Workers, config: Config) -> None:
        """Begin with no room in memory."""
        self.store = store
        self.writer = writer
        self.workers = workers
        self.config = config
        self.rooms: dict[str, Room] = {}
        self.warming = Warming()
        self._drivers: dict[str, Driver] = {}
        self._opening: dict[str, asyncio.Lock] = {}

    # ---- making ----

    async def make(self, guest: GuestRow, wanted: NewTable) -> TableRow:
        """Make a table as a guest wants it; it begins at once if no seat is left open."""
        game = await self._game(wanted.game)
        seats, level = _seats(game, guest, wanted)
        return await self.enter(guest, game, seats, level, is_private=wanted.private)

    async def enter(
        self,
        guest: GuestRow,
        game: Game,
        seats: list[SeatRow],
        level: Level,
        *,
        deal: tuple[int, str] | None = None,
        daily: str | None = None,
        source: str | None = None,
        is_private: bool = False,
    ) -> TableRow:
        """Enter a table into the database; its room is opened when somebody comes."""
        await self._check_few(guest)
        seed, salt = deal or fair.draw()
        is_open = any(seat.kind == "open" for seat in seats)
        now = datetime.now(UTC)
        row = TableRow(
            id=new_id(),
            game=game.spec,
            game_version=game.facts.version,
            level=level.name,
            owner=guest.id,
            status="open" if is_open else "playing",
            seed=seed,
            salt=salt,
            daily=daily,
            source=source,
            made=now,
            started=None if is_open else now,
            is_private=is_private,
            seats=tuple(seats),
        )
        await self.writer.write(rows.add_table(row))
        return row

    async def _check_few(self, guest: GuestRow) -> None:
        """Refuse one more table to somebody who has left many of today's unfinished."""
        tables = schema.play_tables
        own = tables.c.owner == guest.id, tables.c.status != "over"
        fresh = tables.c.made > datetime.now(UTC) - FRESH
        found = await asyncio.to_thread(self.store.tables, *own, fresh, most=MOST_UNFINISHED)
        if len(found) >= MOST_UNFINISHED:
            raise Refused(Message("web.many-tables"))

    async def again(self, guest: GuestRow, before: TableRow, same_deal: bool) -> TableRow:
        """Make a table like one that is over; with the same deal it counts for nothing."""
        if same_deal:
            _check_known(before)
        game = await self._game(before.game)
        level = find_level(game.facts.name, before.level) or usual_level(game.facts.name)
        seats = [_again(seat, guest, before) for seat in before.seats]
        if not same_deal:
            return await self.enter(guest, game, seats, level, is_private=before.is_private)
        deal = (before.seed, fair.draw()[1])
        return await self.enter(guest, game, seats, level, deal=deal, source=before.id)

    async def _game(self, spec: str) -> Game:
        """Load a game with the options that people play by."""
        try:
            game = await asyncio.to_thread(load_game, spec, "people")
        except SpecError as error:
            raise Refused(error.message, 422) from None
        return game

    # ---- finding ----

    async def find(self, table: str) -> Room:
        """Return the room of a table, opened again if it had been put away."""
        room = self.rooms.get(table)
        if room is not None and not room.is_broken:
            return room
        lock = self._opening.setdefault(table, asyncio.Lock())
        try:
            async with lock:
                room = self.rooms.get(table)
                if room is not None and not room.is_broken:
                    return room
                return await self._open(table)
        finally:
            if not lock.locked():
                self._opening.pop(table, None)

    async def row(self, table: str) -> TableRow:
        """Return what the database knows of a table."""
        found = await asyncio.to_thread(self.store.table, table)
        if found is None:
            raise Refused(Message("web.no-table"), 404)
        return found

    async def _open(self, table: str) -> Room:
        row = await self.row(table)
        await self.warming.wait(spec_name(row.game))
        room = await asyncio.to_thread(self._restore, row)
        return self._install(room)

    def _restore(self, row: TableRow) -> Room:
        game = load_game(row.game)
        if row.status == "open":
            return Room(row, game, None, self._seat, self.config)
        actions, changes = self.store.actions(row.id), self.store.changes(row.id)
        host = hosted(row, game, self._seat, actions, changes)
        return Room(row, game, host, self._seat, self.config, (len(actions), changes))

    def record_line(self, row: TableRow) -> str:
        """Return the record of a game, as `kibitz review` reads it."""
        game = load_game(row.game)
        record = record_of_row(row, game, self.store.actions(row.id))
        seats = [PERSON if seat.kind == "person" else str(seat.spec) for seat in row.seats]
        return record.model_copy(update={"seats": tuple(seats)}).to_line()

    def _seat(self, game: Game, spec: str) -> Agent:
        return Absent(game, spec, watches=False, workers=self.workers)

    def _install(self, room: Room) -> Room:
        """Put a room among those in memory, and let its bots think."""
        table = room.row.id
        driver = Driver(room, self.workers)
        room.write = self.writer.write
        room.on_change = driver.wake
        self.rooms[table] = room
        self._drivers[table] = driver
        room.pauses.follow()
        driver.wake()
        return room

    async def resume(self) -> None:
        """Open all tables that were being played when the server stopped.

        Those that were begun long ago are opened when somebody comes.
        """
        tables = schema.play_tables
        wanted = tables.c.status == "playing", tables.c.made > datetime.now(UTC) - FRESH
        for row in await asyncio.to_thread(self.store.tables, *wanted):
            try:
                await self.find(row.id)
            except KibitzError as error:
                LOG.warning("table %s cannot be gone on with: %s", row.id, error)

    # ---- the clock ----

    async def keep_time(self) -> None:
        """Look after absent people and idle rooms, for ever."""
        while True:
            await asyncio.sleep(self.config.clock_step)
            for table, room in list(self.rooms.items()):
                if room.is_broken or self._is_idle(table, room):
                    self._drivers.pop(table).stop()
                    del self.rooms[table]
                else:
                    await self._look_after(room)

    def _is_idle(self, table: str, room: Room) -> bool:
        is_quiet = time.monotonic() - room.touched > self.config.idle
        return is_quiet and not room.lines and not self._drivers[table].is_thinking

    async def _look_after(self, room: Room) -> None:
        """Cover whoever is away; what goes wrong at one table is not the others' business."""
        try:
            await self._cover_absent(room)
        except KibitzError:
            return  # the room is broken, and is made anew when somebody comes
        except Exception:
            LOG.exception("table %s is made anew", room.row.id)
            room.close(Message("web.not-saved"), is_gone=False)

    async def _cover_absent(self, room: Room) -> None:
        """Cover those whom other people wait for and who do not act."""
        if room.host is None or room.host.is_over or room.pauses.now is not None:
            return
        for seat, seconds in room.host.waiting.items():
            row = room.seats[seat]
            away = min(seconds, room.seconds_away(row.guest_id))
            is_late = seconds > self.config.patience or away > self.config.absence
            others = [one for one in room.seats if is_person(one) and one.seat != seat]
            if is_late and any(room.is_online(one.guest_id) for one in others):
                await room.cover(seat)

    def notice(self, message: Message) -> None:
        """Tell all tables where a bot thinks why it takes long."""
        for table, room in self.rooms.items():
            if self._drivers[table].is_thinking:
                room.notice(message)

    def close(self) -> None:
        """Stop all bots; what has happened is in the database."""
        for driver in self._drivers.values():
            driver.stop()
        for room in self.rooms.values():
            room.close(Message("web.closed"), is_gone=False)


def _seats(game: Game, guest: GuestRow, wanted: NewTable) -> tuple[list[SeatRow], Level]:
    """Seat everybody that a new table asks for."""
    level = _level(game, wanted.level)
    if wanted.watch:
        return [bot(seat, level) for seat in range(game.n_seats)], level
    if wanted.seats is None:
        return [person(0, guest), *(bot(seat, level) for seat in range(1, game.n_seats))], level
    if len(wanted.seats) != game.n_seats:
        raise Refused(Message("web.n-seats", {"game": game.spec, "n": game.n_seats}), 422)
    if [one.kind for one in wanted.seats].count("me") > 1:
        raise Refused(Message("web.one-me"), 422)
    seats = [
        person(seat, guest)
        if one.kind == "me"
        else SeatRow(seat, "open")
        if one.kind == "open"
        else bot(seat, _level(game, one.level or wanted.level))
        for seat, one in enumerate(wanted.seats)
    ]
    return seats, level


def _level(game: Game, name: str | None) -> Level:
    """Return the level of a name; the usual one if none is named."""
    if not name:
        return usual_level(game.facts.name)
    level = find_level(game.facts.name, name)
    if level is None:
        known = [one.name for one in levels_of(game.facts.name)]
        facts = {"game": game.facts.title, "level": name, "known": known}
        raise Refused(Message("web.no-level", facts), 422)
    return level


def _check_known(before: TableRow) -> None:
    """Refuse to deal cards again that are still secret, or that come from no seed."""
    if before.status != "over":
        raise Refused(Message("web.no-record"))
    if before.daily is not None and not fair.is_past(before.daily):
        raise Refused(Message("web.no-daily-again"))
    if before.notes.get("deals"):
        raise Refused(Message("web.no-seed"))


def _again(seat: SeatRow, guest: GuestRow, before: TableRow) -> SeatRow:
    """Seat the same bots; other people may join by the link."""
    if seat.kind == "bot":
        game = spec_name(before.game)
        return bot(seat.seat, find_level(game, seat.level or "") or usual_level(game))
    if seat.guest_id == guest.id:
        return person(seat.seat, guest)
    return SeatRow(seat.seat, "open")
