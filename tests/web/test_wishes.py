"""What clients may ask for."""

from kibitz.web.wishes import NewTable


def test_seats_of_a_new_table_are_a_list_as_json_has_it() -> None:
    asked = {"game": "connect4", "seats": [{"kind": "me"}, {"kind": "open"}]}
    wanted = NewTable.model_validate(asked)
    assert [seat.kind for seat in wanted.seats or []] == ["me", "open"]
