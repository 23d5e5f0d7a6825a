"""The deal of the day: the same cards and the same bots for everybody; one try counts."""

import asyncio

from kibitz.core.registry import load_game
from kibitz.core.table import Game
from kibitz.store import schema
from kibitz.store.play import GuestRow, TableRow
from kibitz.web import fair
from kibitz.web.documents import Json
from kibitz.web.levels import daily_game, usual_level
from kibitz.web.seats import bot, person
from kibitz.web.tables import Tables

MOST_SHOWN = 100


class Daily:
    """Deals of the day, and what became of them."""

    def __init__(self, tables: Tables, secret: bytes) -> None:
        """Deal by the secret of the server, so that nobody knows tomorrow's cards."""
        self._tables = tables
        self._secret = secret
        self._making = asyncio.Lock()

    async def play(self, guest: GuestRow, name: str) -> TableRow:
        """Return the table at which a guest plays the deal of today."""
        async with self._making:
            mine = await self._mine(guest, name)
            if mine is not None:
                return mine
            game = await asyncio.to_thread(load_game, daily_game(name))
            level = usual_level(name)
            seats = [person(0, guest), *(bot(seat, level) for seat in range(1, game.n_seats))]
            day = fair.today()
            deal = self._deal(game, day)
            return await self._tables.enter(guest, game, seats, level, deal=deal, daily=day)

    def _deal(self, game: Game, day: str) -> tuple[int, str]:
        return fair.derived(self._secret, f"{game.spec} {day}")

    async def _mine(self, guest: GuestRow, name: str) -> TableRow | None:
        tables = schema.play_tables
        found = await asyncio.to_thread(
            self._tables.store.tables,
            tables.c.daily == fair.today(),
            tables.c.owner == guest.id,
            tables.c.game == daily_game(name),
        )
        return found[0] if found else None

    async def standing(self, guest: GuestRow, name: str) -> Json:
        """Return how everybody did today, the best first."""
        results, day = schema.play_results, fair.today()
        store = self._tables.store
        found = await asyncio.to_thread(
            store.results, results.c.daily == day, results.c.name == name, results.c.counts == 1
        )
        names = await asyncio.to_thread(store.names, [row.guest_id for row in found])
        mine = await self._mine(guest, name)
        ranked = sorted(found, key=lambda row: (-row.score, row.ended))
        shown = [
            {"name": names[row.guest_id], "score": row.score, "you": row.guest_id == guest.id}
            for row in ranked[:MOST_SHOWN]
        ]
        return {"date": day, "mine": mine and mine.id, "results": shown, "n": len(ranked)}
