"""How much one client may ask for, and a count of what was refused."""

from collections import Counter
from collections.abc import Container
from urllib.parse import urlsplit

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

MAX_MESSAGE = 16_384
"""Bytes of a message over a socket."""

MAX_BODY = 65_536
"""Bytes of a request, unless its address may have more."""

MESSAGES = parse("40/second")
STRIKES = parse("200/minute")
"""Refused messages after which a socket is closed."""

CHANGES = parse("120/minute")
"""Requests that change something, by one address."""

REQUESTS = parse("1200/minute")
NEW_GUESTS = parse("60/minute")


class Limits:
    """Counts by client and by kind."""

    def __init__(self, *, counts: bool = True) -> None:
        """Begin to count; with `counts` off, nobody is too fast."""
        self._counts = counts
        self._limiter = FixedWindowRateLimiter(MemoryStorage())
        self.refused: Counter[str] = Counter()

    def allows(self, item: RateLimitItem, *who: str) -> bool:
        """Count one more; False if it is one too many."""
        return not self._counts or bool(self._limiter.hit(item, *who))

    def count(self, why: str) -> None:
        """Count something that was refused."""
        self.refused[why] += 1


def is_own_origin(origin: str | None, host: str | None, public_url: str) -> bool:
    """Whether a request comes from a page of this server, or from no page at all."""
    if origin is None:  # browsers always say it: this is another program
        return True
    if public_url and _origin(public_url) == _origin(origin):
        return True
    return bool(host) and _origin(origin)[1] == str(host).lower()


def _origin(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:  # no address at all
        return "", ""
    return parts.scheme.lower(), parts.netloc.lower()


def is_known_host(host: str | None, known: Container[str]) -> bool:
    """Whether a request was sent to a name of this server; no names are known: to any.

    A page of another site may let its own name point here; its requests name that site.
    """
    try:
        return not known or urlsplit(f"//{host}").hostname in known
    except ValueError:  # no name at all
        return False
