"""What the server says no to: a sentence for people, and the status of the answer."""

from kibitz.core.errors import KibitzError
from kibitz.core.messages import Message


class Refused(KibitzError):
    """Something that a client may not do; the message says why."""

    def __init__(self, told: Message | str, status: int = 409) -> None:
        """Keep what is told, and the status of an answer over HTTP."""
        super().__init__(told)
        self.status = status
