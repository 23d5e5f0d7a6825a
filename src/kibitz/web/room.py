"""One live table: the host, who sits there, who is connected, and what they are told.

Whatever changes the table happens under its lock: it is checked, done, committed to the database,
and only then told. If it cannot be committed, the room is broken: it is thrown away with what it
held, and made anew from the database.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from kibitz.core.errors import StoreError
from kibitz.core.game import SPECTATOR, Seat
from kibitz.core.messages import Message
from kibitz.core.table import Game
from kibitz.core.wording import ENGLISH, say, speaking
from kibitz.host import Host
from kibitz.store import play as rows
from kibitz.store.play import ChangeRow, GuestRow, Job, SeatRow, TableRow
from kibitz.web import documents
from kibitz.web.claiming import claim
from kibitz.web.config import Config
from kibitz.web.levels import find_level, usual_level
from kibitz.web.line import Line
from kibitz.web.opening import Seater, hosted
from kibitz.web.pausing import Pauses
from kibitz.web.refusals import Refused
from kibitz.web.scoring import results_of
from kibitz.web.seats import bot, covered, is_person, name_of, person, uncovered
from kibitz.web.showing import snapshot

Write = Callable[..., Awaitable[None]]


class Room:
    """A table in memory; see the module."""

    def __init__(
        self,
        row: TableRow,
        game: Game,
        host: Host | None,
        seater: Seater,
        config: Config,
        stored: tuple[int, Sequence[ChangeRow]] = (0, ()),
    ) -> None:
        """Take a table over from the database.

        Args:
            row: what the database says of it.
            game: what is played.
            host: where it is played; None before the game begins.
            seater: seats agents that think elsewhere.
            config: settings of the server.
            stored: how many actions, and which changes of seats, the database has.
        """
        self._seater = seater
        self.row = row
        self.game = game
        self.host = host
        self.config = config
        self.lines: list[Line] = []
        self.lock = asyncio.Lock()
        self.is_broken = False
        self.touched = time.monotonic()
        self.on_change: Callable[[], None] = lambda: None
        self.write: Write = _nowhere
        self._seen = {seat.guest_id: self.touched for seat in row.seats}
        self._n_actions, self._changes = stored[0], list(stored[1])
        self._n_changes = len(self._changes)  # that are in the database
        self.pauses = Pauses(self)

    @property
    def seats(self) -> tuple[SeatRow, ...]:
        """Who sits where."""
        return self.row.seats

    @property
    def has_people(self) -> bool:
        """Whether a person ever sat down here."""
        return any(seat.kind == "person" for seat in self.seats)

    def seat_of(self, guest: GuestRow) -> Seat:
        """Return the seat of a guest, or that of a spectator."""
        return next((one.seat for one in self.seats if one.guest_id == guest.id), SPECTATOR)

    def decision(self, seat: Seat) -> int | None:
        """Return the number of the decision that a person owes, as far as they may know yet."""
        if self.host is None or seat == SPECTATOR or not self.pauses.lets_think:
            return None
        return self.host.decision(seat)

    def is_online(self, guest: str | None) -> bool:
        """Whether a guest is connected."""
        return any(line.guest.id == guest for line in self.lines)

    # ---- connections ----

    async def join(self, line: Line) -> None:
        """Connect a client, and show it the table."""
        async with self.lock:
            if self.is_broken:
                line.close()
                return
            own = [one for one in self.lines if one.guest.id == line.guest.id]
            if len(own) >= self.config.most_tabs:
                told = Message("web.other-tabs", {"most": self.config.most_tabs})
                own[0].say({"is": "gone", "why": say(told, own[0].language)})
                own[0].close()
                self.lines.remove(own[0])
            self.lines.append(line)
            self._touch(line.guest)
            if len(own) == 0 and self.seat_of(line.guest) != SPECTATOR:
                self.publish()
            else:
                self.show(line)
            self.on_change()

    async def part(self, line: Line) -> None:
        """Disconnect a client."""
        line.close()
        if line in self.lines:
            self.lines.remove(line)
            self._touch(line.guest)
            async with self.lock:
                if not self.is_online(line.guest.id) and self.seat_of(line.guest) != SPECTATOR:
                    self.publish()

    def show(self, line: Line) -> None:
        """Show the table to one client."""
        line.show(snapshot(self, line))

    def publish(self) -> None:
        """Show the table to all clients."""
        for line in self.lines:
            self.show(line)

    def show_seats(self, seats: Collection[Seat]) -> None:
        """Show the table to those who sit at some seats."""
        for line in self.lines:
            if self.seat_of(line.guest) in seats:
                self.show(line)

    def notice(self, message: Message) -> None:
        """Tell everybody something beside the game."""
        for line in self.lines:
            line.say({"is": "notice", "words": say(message, line.language)})

    def _touch(self, guest: GuestRow) -> None:
        self.touched = self._seen[guest.id] = time.monotonic()

    # ---- what people do ----

    async def play(self, guest: GuestRow, decision: int | None, action: str) -> None:
        """Play for a person; a decision that was made before is not made again."""
        async with self.lock:
            host, seat = self._playing(guest)
            self._touch(guest)
            if decision is not None and self._is_made(seat, decision, action):
                return
            self._check_time(host, seat, action)
            is_pausing = self.pauses.now is not None
            host.play(seat, action)
            await self.commit()
            if is_pausing:
                self.show_seats([seat])

    def _check_time(self, host: Host, seat: Seat, action: str) -> None:
        """Refuse what nobody may do in a pause: anything but the choice that one has in it."""
        if self.pauses.now is None:
            return
        if self.decision(seat) is None:
            raise Refused(Message("web.too-early"))
        with speaking(ENGLISH, seat):
            beside = documents.extra(self.game, host.view(seat), seat)
        if host.check(seat, action) in [one["text"] for one in beside]:
            raise Refused(Message("web.too-early"))

    async def wait(self, guest: GuestRow) -> None:
        """Give somebody who has a choice in a pause more time; elsewhere nobody needs it."""
        async with self.lock:
            _, seat = self._playing(guest)
            self.pauses.hold(seat)
            self.show_seats([seat])

    def _is_made(self, seat: Seat, decision: int, action: str) -> bool:
        """Whether just this has been played before; Refused if something else has."""
        made = self.pauses.made(seat)
        if decision < len(made):
            if made[decision] == action.strip():
                return True
            raise Refused(Message("web.already-decided"))
        if decision > len(made):
            raise Refused(Message("web.too-early"))
        return False

    def try_action(self, guest: GuestRow, action: str) -> str:
        """Return an action as it is written, if it may be played; raise what playing it would."""
        host, seat = self._playing(guest)
        self._check_time(host, seat, action)
        return host.check(seat, action)

    async def sit(self, guest: GuestRow, seat: int) -> None:
        """Let a guest sit down at a free seat; the last one to sit down begins the game."""
        async with self.lock:
            self._check_open()
            if not 0 <= seat < len(self.seats):
                raise Refused(Message("web.no-seat", {"seat": seat}))
            if self.seats[seat].kind != "open":
                raise Refused(Message("web.seat-taken"))
            before = self.seat_of(guest)
            changed = [person(seat, guest)]
            if before != SPECTATOR:
                changed.append(SeatRow(before, "open"))
            self._touch(guest)
            await self.commit(changed)
            if all(one.kind != "open" for one in self.seats):
                await self._begin()

    async def start(self, guest: GuestRow) -> None:
        """Fill free seats with bots, and begin."""
        async with self.lock:
            self._check_open()
            if guest.id != self.row.owner:
                raise Refused(Message("web.not-owner"), 403)
            await self._begin()

    async def hide(self, guest: GuestRow, hidden: bool) -> None:
        """Take a table that has not begun out of the lobby, or put it back."""
        async with self.lock:
            self._check_open()
            if guest.id != self.row.owner:
                raise Refused(Message("web.not-owner-hides"), 403)
            self.row = replace(self.row, is_private=hidden)
            await self.commit((), rows.change_table(self.row.id, is_private=int(hidden)))

    async def _begin(self) -> None:
        """Deal; nobody is told before it is in the database."""
        name = self.game.facts.name
        level = find_level(name, self.row.level) or usual_level(name)
        filled = [bot(one.seat, level) for one in self.seats if one.kind == "open"]
        now = datetime.now(UTC)
        self._set_seats(filled)
        self.row = replace(self.row, status="playing", started=now)
        self.host = hosted(self.row, self.game, self._seater)
        begun = rows.change_table(self.row.id, status="playing", started=now)
        await self.commit(filled, begun)

    async def leave(self, guest: GuestRow) -> None:
        """Leave the table: a bot plays on; at one that has not begun the seat is free again."""
        async with self.lock:
            seat = self.seat_of(guest)
            if seat == SPECTATOR or self.row.status == "over":
                return
            if self.host is None:
                await self._leave_open(guest, seat)
                return
            if self.seats[seat].state != "left":
                await self._cover(self.seats[seat], "left")

    async def _leave_open(self, guest: GuestRow, seat: Seat) -> None:
        others = [one for one in self.seats if one.kind == "person" and one.seat != seat]
        if others:
            owner = self.row.owner if self.row.owner != guest.id else others[0].guest_id
            self.row = replace(self.row, owner=str(owner))
            change = rows.change_table(self.row.id, owner=owner)
            await self.commit([SeatRow(seat, "open")], change)
            return
        self._check_whole()
        await self.write(rows.remove_table(self.row.id))
        self.close(Message("web.closed"))

    async def back(self, guest: GuestRow) -> None:
        """Give a seat back to the person for whom a bot has played."""
        async with self.lock:
            host, seat = self._seated(guest)
            row = self.seats[seat]
            if row.state == "left":
                raise Refused(Message("web.has-left"))
            if row.state != "covered":
                raise Refused(Message("web.not-covered"))
            self._touch(guest)
            host.replace(seat, None, row.name)
            self._changes.append(ChangeRow(host.n_actions, seat, row.name, True))
            await self.commit([uncovered(row)])

    async def claim(self, guest: GuestRow) -> None:
        """Play the rest of a round at once, where it is certain."""
        async with self.lock:
            host, seat = self._playing(guest)
            if self.pauses.now is not None:
                raise Refused(Message("web.too-early"))
            claim(host, seat)
            await self.commit()

    async def cover(self, seat: Seat) -> None:
        """Let a bot play for a person who is away."""
        async with self.lock:
            row = self.seats[seat]
            if is_person(row) and self.decision(seat) is not None:
                await self._cover(row, "covered")
                self.notice(Message("web.is-covered", {"name": row.name}))

    async def _cover(self, row: SeatRow, state: str) -> None:
        assert self.host is not None
        name = self.game.facts.name
        level = find_level(name, row.level or self.row.level) or usual_level(name)
        now = covered(row, level, state)
        if is_person(row):
            self._seat_bot(now)
        await self.commit([now])

    async def demote(self, seat: Seat, spec: str, weaker: str) -> None:
        """Replace an agent that failed by a weaker one, and tell the table."""
        async with self.lock:
            row = self.seats[seat]
            if self.host is None or is_person(row) or row.spec != spec:
                return
            now = replace(row, spec=weaker)
            self._seat_bot(now)
            await self.commit([now])
            self.notice(Message("web.bot-failed", {"name": name_of(row)}))

    def _seat_bot(self, row: SeatRow) -> None:
        """Let the bot of a row play at its seat."""
        assert self.host is not None
        who = name_of(replace(row, kind="bot"))
        self.host.replace(row.seat, self._seater(self.game, str(row.spec)), who)
        self._changes.append(ChangeRow(self.host.n_actions, row.seat, who, False))

    # ---- the database ----

    async def commit(self, seats: Iterable[SeatRow] = (), *jobs: Job) -> None:
        """Write what has happened to the database, then tell everybody.

        Answers that somebody gives in a pause are told when it is over.

        Raises:
            Refused: it could not be written; the room is broken.
        """
        self._check_whole()
        changed, moment = list(seats), self.pauses.now
        self._set_seats(changed)
        needed = [rows.change_seat(self.row.id, seat) for seat in changed]
        needed += [*jobs, *self._played()]
        try:
            await self.write(*needed)
        except BaseException as error:
            self.close(Message("web.not-saved"), is_gone=False)
            if isinstance(error, StoreError):
                raise Refused(Message("web.not-saved"), 503) from error
            raise
        self.touched = time.monotonic()
        self.pauses.follow()
        if changed or moment is None or self.pauses.now is not moment:
            self.publish()
        self.on_change()

    def _set_seats(self, changed: Iterable[SeatRow]) -> None:
        now = list(self.seats)
        for seat in changed:
            now[seat.seat] = seat
        self.row = replace(self.row, seats=tuple(now))

    def _played(self) -> list[Job]:
        """Return what must be written of the game, since the last time."""
        host, table = self.host, self.row.id
        if host is None:
            return []
        played, fresh = host.played(self._n_actions), self._changes[self._n_changes :]
        jobs = [rows.add_actions(table, self._n_actions, played)] if played else []
        jobs += [rows.add_changes(table, self._n_changes, fresh)] if fresh else []
        self._n_actions, self._n_changes = host.n_actions, len(self._changes)
        if host.is_over and self.row.status != "over":
            jobs += self._finish(host)
        return jobs

    def _finish(self, host: Host) -> list[Job]:
        """Close the books of a game that is over."""
        now = datetime.now(UTC)
        notes = {**self.row.notes, "scores": host.scores.tolist()}
        self.row = replace(self.row, status="over", ended=now, notes=notes)
        over = rows.change_table(self.row.id, status="over", ended=now, notes=notes)
        return [over, rows.add_results(results_of(self.row, host, self._changes))]

    def close(self, why: Message, *, is_gone: bool = True) -> None:
        """Send everybody away, for good or to come back at once."""
        self.is_broken = True
        self.pauses.stop()
        for line in self.lines:
            if is_gone:
                line.say({"is": "gone", "why": say(why, line.language)})
            line.close()
        self.lines = []
        self.on_change()

    # ---- checks ----

    def _check_whole(self) -> None:
        """Refuse what was wanted before the room broke: it holds what was not written."""
        if self.is_broken:
            raise Refused(Message("web.not-saved"), 503)

    def _check_open(self) -> None:
        if self.row.status != "open":
            raise Refused(Message("web.not-open"))

    def _seated(self, guest: GuestRow) -> tuple[Host, Seat]:
        seat = self.seat_of(guest)
        if seat == SPECTATOR:
            raise Refused(Message("web.not-seated"), 403)
        if self.host is None:
            raise Refused(Message("web.not-playing"))
        if self.host.is_over and self.pauses.now is None:
            raise Refused(Message("web.is-over"))
        return self.host, seat

    def _playing(self, guest: GuestRow) -> tuple[Host, Seat]:
        host, seat = self._seated(guest)
        if self.seats[seat].state == "left":
            raise Refused(Message("web.has-left"))
        if self.seats[seat].state == "covered":
            raise Refused(Message("web.covered"))
        return host, seat

    def seconds_away(self, guest: str | None) -> float:
        """Return for how long a guest has not been connected."""
        if self.is_online(guest):
            return 0.0
        return time.monotonic() - self._seen.get(guest, self.touched)


async def _nowhere(*jobs: Job) -> None:
    raise StoreError("a room needs a database")
