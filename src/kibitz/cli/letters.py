"""Letters for terminals that do not know ours: suits, discs and dots in plain ASCII."""

import codecs

PLAIN = "kibitz-plain"
"""Name of the error handler of streams."""

PLAIN_LETTERS = {
    **dict(zip("♣♠♥♦", "CSHD", strict=True)),
    **dict(zip("●○·—–−×¢•", "XO.---xc*", strict=True)),
    **dict(zip("¹²³⁴⁵⁶⁷⁸⁹", "123456789", strict=True)),
    **dict(zip("äöüÄÖÜ", ("ae", "oe", "ue", "Ae", "Oe", "Ue"), strict=True)),
    **{"ß": "ss", "±": "+-", "…": "..", "→": "->", "≤": "<=", "≥": ">="},
}


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Write what a stream cannot encode in other letters."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(PLAIN_LETTERS.get(letter, "?") for letter in letters), error.end


def register() -> None:
    """Let streams use the handler by its name."""
    codecs.register_error(PLAIN, _replace)
