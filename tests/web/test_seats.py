"""Who sits at a live table: names that people can tell apart."""

from kibitz.web.levels import usual_level
from kibitz.web.seats import bot, name_of


def test_bots_at_a_table_have_names_of_their_own() -> None:
    seats = [bot(seat, usual_level("nimmt")) for seat in range(10)]
    names = {name_of(seat, language) for seat in seats for language in ("en", "de")}
    assert len(names) == 10
    assert all(name.startswith("Bot ") for name in names)
