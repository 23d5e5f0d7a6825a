"""Guests: whoever comes gets a signed cookie, without a sign-up."""

import asyncio
import os
import secrets
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

from itsdangerous import BadSignature, URLSafeSerializer

from kibitz.core.errors import StoreError, clip
from kibitz.core.messages import Message
from kibitz.core.wording import ENGLISH, LANGUAGES, say
from kibitz.store import play as rows
from kibitz.store.address import data_folder, database_files, find_database
from kibitz.store.play import GuestRow, PlayStore
from kibitz.web.tables import new_id
from kibitz.web.wishes import MOST_NAME, ChangedGuest
from kibitz.web.writer import Writer

COOKIE = "kibitz-guest"
YEAR = 365 * 24 * 3600
MOST_KNOWN = 10_000


def read_secret(database: str | Path | None) -> bytes:
    """Return the secret of a server, from a file beside its database; it is made once."""
    files = database_files(find_database(database))
    path = Path(f"{files[0]}.secret") if files else data_folder() / "server.secret"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(32))
        found = path.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        why = (error.strerror or "the system refuses").lower()
        raise StoreError(f"the secret {clip(path)} cannot be kept: {why}") from None
    if len(found) < 32 or not found.isascii():
        raise StoreError(f"{clip(path)} holds no secret: remove it, and a new one is made")
    return found.encode()


def clean_name(name: str) -> str:
    """Return a name on one line, without what cannot be seen."""
    words = " ".join(name.split())
    return "".join(letter for letter in words if letter.isprintable())[:MOST_NAME].strip()


class Guests:
    """Who is who, by their cookies."""

    def __init__(self, store: PlayStore, writer: Writer, secret: bytes) -> None:
        """Know nobody yet."""
        self._store = store
        self._writer = writer
        self._signer = URLSafeSerializer(secret, salt="guest")
        self._known: OrderedDict[str, GuestRow] = OrderedDict()

    def sign(self, guest: GuestRow) -> str:
        """Return the cookie of a guest."""
        return str(self._signer.dumps(guest.id))

    async def find(self, cookie: str | None) -> GuestRow | None:
        """Return who a cookie belongs to; None if nobody, or if it is not one of ours."""
        try:
            guest = self._signer.loads(cookie or "")
        except BadSignature:
            return None
        if not isinstance(guest, str):
            return None
        if guest not in self._known:
            found = await asyncio.to_thread(self._store.guest, guest)
            if found is None:
                return None
            self._keep(found)
        return self._known[guest]

    async def make(self, languages: str) -> GuestRow:
        """Welcome somebody new, in the first language of theirs that is spoken here."""
        wanted = [part.partition(";")[0].strip()[:2].lower() for part in languages.split(",")]
        language = next((one for one in wanted if one in LANGUAGES), ENGLISH)
        name = say(Message("web.guest", {"number": 100 + secrets.randbelow(900)}), language)
        guest = GuestRow(new_id(), name, language)
        await self._writer.write(rows.add_guest(guest))
        self._keep(guest)
        return guest

    async def change(self, guest: GuestRow, wanted: ChangedGuest) -> GuestRow:
        """Change what a guest is called; a name of nothing is left as it was."""
        name = clean_name(wanted.name or "") or guest.name
        changed = replace(guest, name=name, language=wanted.language or guest.language)
        await self._writer.write(rows.change_guest(changed))
        self._keep(changed)
        return changed

    def _keep(self, guest: GuestRow) -> None:
        self._known[guest.id] = guest
        self._known.move_to_end(guest.id)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
