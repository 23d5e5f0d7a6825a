"""BSW logs: real rounds replay, damaged ones are told and skipped, and logs can be written."""

import os
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import kibitz
from kibitz.core.errors import RecordError, SpecError
from kibitz.core.kernels import COMPILED
from kibitz.core.logs import Damage, load_log_format
from kibitz.core.record import Record, parse_record, replay
from kibitz.core.table import Origin, Table
from kibitz.games.tichu.bsw import log, read_log, write_log
from kibitz.games.tichu.cards import PLAY, cards_of, kind_of, phoenix_of
from kibitz.games.tichu.words import members, rank_of

pytestmark = pytest.mark.compiled

SAMPLE = Path(__file__).with_name("tichu.tch")
"""Three rounds of our own, written by our exporter."""

DATA = os.environ.get("KIBITZ_DATA")
REAL = sorted(Path(DATA).glob("tichu/*.tch")) if DATA else []
needs_real_logs = pytest.mark.skipif(
    not REAL, reason="set KIBITZ_DATA to the folder that has tichu/*.tch: real logs are not shipped"
)

Read = Callable[..., "list[Record | Damage]"]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return a function that reads a log with this text or these bytes."""

    def read_text(text: str | bytes) -> list[Record | Damage]:
        path = tmp_path / "game.tch"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(read_log(path))

    return read_text


@pytest.fixture(scope="module")
def rounds() -> list[str]:
    """Return the text of every round of the sample."""
    parts = SAMPLE.read_text(encoding="utf-8").split(log.GRAND_HEADER)
    return [log.GRAND_HEADER + part for part in parts[1:]]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Return the records of the sample."""
    found = list(read_log(SAMPLE))
    assert all(isinstance(one, Record) for one in found)
    return [one for one in found if isinstance(one, Record)]


def test_long_names_are_cut(rounds: list[str], read: Read) -> None:
    name = next(line for line in rounds[0].splitlines() if line.startswith("(0)")).split()[0][3:]
    record = only_record(read(rounds[0].replace(f"(0){name}", f"(0){'x' * 501}")))
    assert record.seats[0] == "x" * log.MAX_NAME


def only_record(found: list[Record | Damage]) -> Record:
    assert len(found) == 1
    assert isinstance(found[0], Record), found[0]
    return found[0]


def only_damage(found: list[Record | Damage]) -> Damage:
    assert len(found) == 1
    assert isinstance(found[0], Damage)
    return found[0]


def result_of(text: str) -> float:
    """Return the lead of seats 0 and 2 that a log tells."""
    ours, theirs = re.findall(r"Ergebnis: (-?\d+) - (-?\d+)", text)[-1]
    return float(int(ours) - int(theirs))


def plays_of(record: Record) -> list[tuple[int, str]]:
    """Return what everybody could see, without answers in windows."""
    return [(seat, text) for seat, text in record.actions if text not in ("pass", "no tichu")]


@needs_real_logs
def test_real_rounds_replay_with_the_logged_results() -> None:
    found = [one for path in REAL for one in read_log(path)]
    assert [one for one in found if isinstance(one, Damage)] == []
    texts = [text for path in REAL for text in path.read_text().split(log.GRAND_HEADER)[1:]]
    assert len(found) == len(texts) == 7
    for record, text in zip(found, texts, strict=True):
        assert isinstance(record, Record)
        assert record.result is not None
        assert record.result[0] == result_of(text)
        assert replay(parse_record(record.to_line())).is_over


@needs_real_logs
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_real_logs_are_written_as_they_were(path: Path, tmp_path: Path) -> None:
    records = [one for one in read_log(path) if isinstance(one, Record)]
    text = "".join(map(write_log, records))
    ours = [sorted(line.split(" ")) for line in text.splitlines()]
    theirs = [sorted(line.split(" ")) for line in path.read_text().splitlines()]
    assert ours == theirs  # up to the order of cards
    again = tmp_path / "again.tch"
    again.write_text(text)
    assert list(read_log(again)) == records


def ranks_of(action: int) -> tuple[object, int]:
    """Return what makes two choices of cards the same play."""
    ranks = Counter(rank_of(card) or card for card in members(int(cards_of(action))))
    return tuple(sorted(ranks.items())), int(phoenix_of(action))


@needs_real_logs
def test_every_real_play_is_listed_up_to_colours() -> None:
    for record in (one for path in REAL for one in read_log(path)):
        assert isinstance(record, Record)
        table = Table(
            kibitz.load_game(record.game), Origin(0, deals=record.deals), plays_forced=False
        )
        for seat, text in record.actions:
            action = table.game.text.parse_action(table.state, seat, text)
            if kind_of(action) == PLAY:
                listed = {ranks_of(one) for one in table.legal(seat) if kind_of(one) == PLAY}
                assert ranks_of(action) in listed, text
            table.play(seat, action)


def test_the_sample_replays(records: list[Record], rounds: list[str]) -> None:
    assert len(records) == len(rounds) == 3
    for record, text in zip(records, rounds, strict=True):
        assert record.result is not None
        assert record.result[0] == result_of(text)
        assert replay(parse_record(record.to_line())).is_over


def test_names_keep_their_spaces_and_may_be_empty(records: list[Record]) -> None:
    assert records[0].seats == ("Anna", "Bär", "Cléo Zwei", "d-e!")
    assert records[1].seats == ("Anna", "", "Cléo Zwei", "d-e!")


@pytest.mark.parametrize("lines", ["exchange", "play"])
def test_a_missing_name_is_taken_from_other_lines(
    lines: str, rounds: list[str], records: list[Record], read: Read
) -> None:
    dealt, exchange, play = re.split(r"(?m)^(?=Schupfen|-*Rundenverlauf)", rounds[0])
    parts = {"deal": dealt, "exchange": exchange, "play": play}
    nameless = [text if kind == lines else text.replace("Bär", "") for kind, text in parts.items()]
    assert read("".join(nameless)) == records[:1]
    assert only_record(read(rounds[0].replace("Bär", ""))).seats[1] == ""


def test_writing_and_reading_again_gives_equal_records(
    records: list[Record], rounds: list[str], read: Read
) -> None:
    assert [write_log(record) for record in records] == rounds
    assert read("".join(rounds)) == records


@pytest.mark.parametrize("seed", range(8))
def test_random_rounds_survive_being_written(seed: int, read: Read) -> None:
    game = kibitz.load_game("tichu")
    table = game.deal(seed)
    kibitz.play_out(table, [kibitz.load_agent("random", game)] * 4)
    text = write_log(table.record(["a", "b b", "", "ö"]))
    record = only_record(read(text))
    assert record.result == tuple(table.scores)
    assert record.seats == ("a", "b b", "", "ö")
    assert write_log(record) == text


def test_all_rounds_of_a_match_are_written(read: Read) -> None:
    game = kibitz.load_game("tichu:match=1000,rounds=3")
    table = game.deal(4)
    kibitz.play_out(table, [kibitz.load_agent("random", game)] * 4)
    found = read(write_log(table.record()))
    assert len(found) == 3
    leads = [one.result[0] for one in found if isinstance(one, Record) and one.result]
    assert sum(leads) == table.scores[0]


@pytest.mark.parametrize("spec", ["tichu:variant=thesis", "connect4"])
def test_other_games_cannot_be_written(spec: str) -> None:
    table = kibitz.load_game(spec).deal(1)
    with pytest.raises(RecordError, match="a log has rounds of"):
        write_log(table.record())


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n\n"])
def test_encodings_and_ends_of_lines(
    encoding: str, end: str, rounds: list[str], records: list[Record], read: Read
) -> None:
    assert read(rounds[0].replace("\n", end).encode(encoding)) == records[:1]


def test_a_tichu_may_be_called_twice(rounds: list[str], records: list[Record], read: Read) -> None:
    text = re.sub(r"(?m)^(Tichu: .*)\n", r"\1\n\1\n", rounds[0])
    assert text != rounds[0]
    assert read(text) == records[:1]


def first_play_after_call(text: str) -> tuple[str, str]:
    """Find a call among the lines of play, and the next card of who called."""
    call = re.search(r"Rundenverlauf-*\n(?s:.*?)^(Tichu: (\(\d\))\S*\n)", text, re.MULTILINE)
    assert call is not None
    first = re.search(rf"^{re.escape(call[2])}[^ ]*: .*\n(Wunsch.*\n)?", text[call.end() :], re.M)
    assert first is not None
    return call[1], first[0]


def test_a_call_just_after_the_first_card_was_meant_before(rounds: list[str], read: Read) -> None:
    call, first = first_play_after_call(rounds[0])
    late = rounds[0].replace(call, "").replace(first, first + call)
    before = rounds[0].replace(call, "").replace(first, call + first)
    assert read(late) == read(before)
    assert isinstance(read(late)[0], Record)


def test_a_call_long_after_the_first_card_is_refused(rounds: list[str], read: Read) -> None:
    call, _ = first_play_after_call(rounds[0])
    late = rounds[0].replace(call, "").replace("Ergebnis", f"{call}Ergebnis")
    assert "calls Tichu after its first card" in only_damage(read(late)).reason


@pytest.mark.parametrize("left", ["", "Drache an: (seat)\n", "Drache an: name\n", "Drache an:\n"])
def test_who_got_the_dragon_may_be_missing(left: str, rounds: list[str], read: Read) -> None:
    text = next(text for text in rounds if "Drache an" in text)
    line = re.search(r"Drache an: (\(\d\))(.*)\n", text)
    assert line is not None
    short = text.replace(line[0], left.replace("(seat)", line[1]).replace("name", line[2]))
    record = only_record(read(short))
    assert record.result is not None
    assert record.result[0] == result_of(text)


def test_the_dragon_does_not_go_to_the_own_team(rounds: list[str], read: Read) -> None:
    text = next(text for text in rounds if "Drache an" in text)
    seat = int(re.findall(r"Drache an: \((\d)\)", text)[0])
    other = re.sub(r"Drache an: .*", f"Drache an: ({(seat + 1) % 4})", text)
    assert "must go to an opponent" in only_damage(read(other)).reason


def test_the_order_of_cards_is_no_matter(
    rounds: list[str], records: list[Record], read: Read
) -> None:
    def turn(line: re.Match[str]) -> str:
        return line[1] + " ".join(reversed(line[2].split(" "))) + " \n"

    for text, record in zip(rounds, records, strict=True):
        turned = re.sub(r"(?m)^(\(\d\)[^ ]*:? )((?:(?:[RGBS]\w+|Ma|Hu|Dr) ?)+) \n", turn, text)
        assert turned != text
        assert read(turned) == [record]


def test_a_round_that_is_cut_off_is_skipped(
    rounds: list[str], records: list[Record], read: Read
) -> None:
    found = read(rounds[0] + rounds[1].partition("Ergebnis")[0])
    assert found[0] == records[0]
    damage = only_damage(found[1:])
    assert damage.round == 2
    assert "the file ends where" in damage.reason


def test_a_round_that_is_cut_off_does_not_cost_the_next(
    rounds: list[str], records: list[Record], read: Read
) -> None:
    found = read(rounds[0].partition("Ergebnis")[0] + rounds[1])
    assert isinstance(found[0], Damage)
    assert found[0].line == rounds[0].count("\n")
    assert "the next round begins" in found[0].reason
    assert found[1:] == records[1:2]


def test_a_log_ends_where_a_header_comes_before_the_exchange(
    rounds: list[str], records: list[Record], read: Read
) -> None:
    found = read(rounds[0] + rounds[1].partition("Schupfen")[0] + rounds[2])
    assert found[0] == records[0]
    assert "the rest is not read" in only_damage(found[1:]).reason


def change(text: str, old: str, new: str) -> str:
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    return changed


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (r"Ergebnis: .*", "Ergebnis: 100 - 5", "the log says 100 - 5, replaying gives"),
        (r"Ergebnis: .*", "Ergebnis: many", "expected a result"),
        (r"Ergebnis: .*", "Ergebnis: 99999999999999 - 0", "expected a result"),
        (r"(Gr.Tichukarten-*\n\(0\)\S* )\S+", r"\1X9", "'X9' is not a card"),
        (r"(Gr.Tichukarten-*\n\(0\)\S* )(\S+) \S+", r"\1\2 \2", "are not among its fourteen"),
        (r"(Startkarten-*\n\(0\)\S* )(\S+) (\S+)", r"\1\2 \2", "is dealt twice"),
        (r"(Startkarten-*\n\(0\)\S* )(\S+) ", r"\1", "expected 14 cards of seat 0"),
        (r"(Startkarten-*\n)\(0\)", r"\1(1)", "expected 14 cards of seat 0"),
        (r"-*Startkarten-*\n", "", "expected 'Startkarten'"),
        (r"gibt: (\S*): (\S+) - (\S*): (\S+)", r"gibt: \1: \2 - \3: \2", "given"),
        (r"Schupfen:\n", "", "expected 'Schupfen:'"),
        (r"(?m)^(\(\d\)\S*) passt.\n", "", "is to move|the result comes before|cannot|seat"),
        (r"(?m)^(\(\d\)\S*) passt.\n", r"\1 tanzt.\n", "expected a line of play"),
        (r"(Rundenverlauf-*\n)", r"\1(0)x passt.\n", "who leads must play|is to move"),
        (r"(Rundenverlauf-*\n)", r"\1Drache an: (0)x\n", "no trick of the Dragon"),
        (r"(Rundenverlauf-*\n)", r"\1Wunsch:8\n", "right after the Mah Jong"),
        (r"Ergebnis", "(0)x passt.\nErgebnis", "the round is over before this line"),
        (r"(Rundenverlauf-*\n)", rf"\1{'x' * 5000}\n", "the line has more than 2000 bytes"),
    ],
)
def test_a_damaged_round_is_told_and_skipped(
    old: str, new: str, why: str, rounds: list[str], records: list[Record], read: Read
) -> None:
    found = read(rounds[0] + change(rounds[1], old, new) + rounds[2])
    assert [one for one in found if isinstance(one, Record)] == [records[0], records[2]]
    damage = only_damage([one for one in found if isinstance(one, Damage)])
    assert re.search(why, damage.reason), damage
    assert damage.round == 2
    n_lines = rounds[0].count("\n")
    assert n_lines < damage.line <= n_lines + rounds[1].count("\n") + 1
    assert str(damage.path) in str(damage)


def test_a_wish_that_is_not_followed_is_refused(rounds: list[str], read: Read) -> None:
    found = []
    for text in rounds:
        for rank in log.RANK_WORDS:
            found += read(re.sub(r"Wunsch:.*", f"Wunsch:{rank}", text))
    reasons = [one.reason for one in found if isinstance(one, Damage)]
    assert any("must be fulfilled" in reason for reason in reasons)


@pytest.mark.parametrize("text", ["", "\n\n", "hello\n", "\x00" * 5000, "Ergebnis: 1 - 2\n"])
def test_what_is_no_log_is_one_damage(text: str, read: Read) -> None:
    assert only_damage(read(text)).round is None


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no such file"):
        list(read_log(tmp_path / "nothing.tch"))
    with pytest.raises(RecordError, match="cannot read"):
        list(read_log(tmp_path))


def test_a_round_without_end_is_cut(rounds: list[str], records: list[Record], read: Read) -> None:
    endless = rounds[0].replace("Ergebnis", "(0)x passt.\n" * 5000 + "Ergebnis")
    found = read(endless + rounds[1])
    assert "after 1000 lines of play" in only_damage(found[:1]).reason
    assert found[1:] == records[1:2]


def test_a_file_without_end_is_cut(
    rounds: list[str], records: list[Record], read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_BYTES", len(rounds[0].encode()) + 10_000)
    monkeypatch.setattr("kibitz.games.tichu.bsw.MAX_BYTES", len(rounds[0].encode()) + 10_000)
    found = read(rounds[0] + "x" * 1_000_000)
    assert found[0] == records[0]
    assert "bytes are not read" in only_damage(found[2:]).reason


def spoil(text: str, pick: random.Random) -> bytes:
    """Cut, swap, double or garble some lines."""
    lines = text.encode().splitlines(keepends=True)
    for _ in range(pick.randint(1, 4)):
        i, j = pick.randrange(len(lines)), pick.randrange(len(lines))
        what = pick.randrange(7)
        if what == 0:
            del lines[i : i + pick.randint(1, 5)]
        elif what == 1:
            lines[i], lines[j] = lines[j], lines[i]
        elif what == 2:
            lines.insert(i, lines[j])
        elif what == 3:
            lines[i] = lines[i][: pick.randint(0, len(lines[i]))]
        elif what == 4:
            lines.insert(i, pick.randbytes(pick.randint(0, 80)))
        elif what == 5:
            place = pick.randrange(len(lines[i]) + 1)
            lines[i] = lines[i][:place] + pick.randbytes(1) + lines[i][place + 1 :]
        else:
            lines[i] = lines[i].replace(b"(0)", b"(1)").replace(b"R", b"G")
        lines = lines or [b""]
    return b"".join(lines)


def test_spoilt_logs_never_crash(rounds: list[str], read: Read) -> None:
    pick = random.Random(12)
    n_good = n_bad = 0
    for _ in range(80 if COMPILED else 5):
        found = read(spoil("".join(rounds), pick))
        for one in found:
            if isinstance(one, Record):
                n_good += 1
                assert one.result is not None
            else:
                n_bad += 1
                assert "\n" not in str(one)
                assert len(str(one)) < 500
    assert n_bad > 0
    assert n_good > 0 or not COMPILED


def test_the_format_is_known_by_its_name() -> None:
    assert load_log_format("bsw").write_log is write_log
    with pytest.raises(SpecError, match="did you mean 'bsw'"):
        load_log_format("bws")
