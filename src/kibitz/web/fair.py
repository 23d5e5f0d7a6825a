"""Dealing that can be checked: the seed is promised by a hash before, and shown after the game.

The commitment is SHA-256 of `SEED:SALT`. Who has it before the first card can check afterwards
that the cards were dealt by a seed that was fixed then. The salt keeps anybody from trying seeds.
"""

import hashlib
import hmac
import secrets
from datetime import UTC, date, datetime

SALT_BYTES = 16


def commitment(seed: int, salt: str) -> str:
    """Return the hash by which a seed is promised."""
    return hashlib.sha256(f"{seed}:{salt}".encode()).hexdigest()


def draw() -> tuple[int, str]:
    """Draw a seed and a salt."""
    return secrets.randbits(63), secrets.token_hex(SALT_BYTES)


def derived(secret: bytes, what: str) -> tuple[int, str]:
    """Return the seed and salt that belong to something, such as a date, on this server."""
    digest = hmac.new(secret, what.encode(), hashlib.sha256).digest()
    seed = int.from_bytes(digest[:8]) >> 1
    return seed, digest[8 : 8 + SALT_BYTES].hex()


def today() -> str:
    """Return the date, the same all over the world."""
    return datetime.now(UTC).date().isoformat()


def is_past(day: str) -> bool:
    """Whether a day is over, so that its cards need not be kept secret any more."""
    return date.fromisoformat(day) < datetime.now(UTC).date()
