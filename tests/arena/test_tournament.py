"""Tournaments."""

from typing import Any

import numpy as np
import pytest

from kibitz import Agent, Game, KibitzError, SpecError
from kibitz.arena import PlayedDeals
from kibitz.arena.tournament import K_FALL, K_START, Row, Settings, Stage, Tournament

BOTS = ("random", "highest", "lowest", "closest")


class Memory:
    """A journal that forgets nothing."""

    def __init__(self) -> None:
        self.kept: dict[int, list[PlayedDeals]] = {}

    def begin(self, stage: Stage, agents: tuple[str, ...]) -> list[PlayedDeals]:
        self._now = stage.number
        return list(self.kept.setdefault(stage.number, []))

    def append(self, played: PlayedDeals) -> None:
        self.kept[self._now].append(played)


def settings(**changed: Any) -> Settings:
    values: dict[str, Any] = {"game": "nimmt:players=3", "agents": BOTS, "deals": 60, "seed": 5}
    return Settings(**{**values, **changed})


FORMS = {
    "round-robin": settings(),
    "random": settings(form="random"),
    "sizes": settings(form="random", sizes=(2, 3, 4), game="nimmt"),
    "evolve": settings(form="evolve", generation=80),
    "ladder": settings(form="ladder", agents=("closest", "lowest"), anchors=("random", "highest")),
}


def rows(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the table without what depends on the clock."""
    kept = [name for name in Row.__dataclass_fields__ if name != "seconds_per_move"]
    return [{name: getattr(row, name) for name in kept} for row in tournament.rows()]


def played(name: str, **how: Any) -> Tournament:
    return finish(Tournament(FORMS[name], **how))


def finish(tournament: Tournament) -> Tournament:
    for _ in tournament.play():
        pass
    return tournament


@pytest.mark.parametrize("name", FORMS)
def test_a_tournament_killed_anywhere_ends_with_the_same_table(name: str) -> None:
    whole = rows(played(name))
    memory = Memory()
    for limit in (1, 3, 40, 10_000):
        tournament = Tournament(FORMS[name], batch_size=30)
        for n, _ in enumerate(tournament.play(memory)):
            if n == limit:
                break
        else:
            assert rows(tournament) == whole
            return
        assert tournament.rows()
    raise AssertionError("it never came to its end")


@pytest.mark.parametrize("name", ["random", "evolve"])
def test_a_tournament_does_not_depend_on_batches_or_workers(name: str) -> None:
    assert rows(played(name)) == rows(played(name, batch_size=7, workers=3))


@pytest.mark.parametrize("name", FORMS)
def test_the_number_of_games_is_known_beforehand(name: str) -> None:
    tournament = played(name)
    assert sum(result.n_games for _, result in tournament.results) == tournament.n_games


@pytest.mark.parametrize("name", FORMS)
def test_no_deal_is_played_in_two_stages(name: str) -> None:
    numbers = np.concatenate([result.deals for _, result in played(name).results])
    assert len(set(numbers.tolist())) == len(numbers)


def test_a_round_robin_ranks_by_strength() -> None:
    table = played("round-robin").rows()
    assert [row.n_games for row in table] == [60 * 9] * 4  # in three of four tables, three seats
    assert table[0].name == "closest"
    assert [row.rating.mean for row in table] == sorted(
        (row.rating.mean for row in table), reverse=True
    )
    assert all(row.rating.low < row.rating.mean < row.rating.high for row in table)
    assert sum(row.rating.mean for row in table) == pytest.approx(0, abs=1e-6)


def test_random_tables_of_several_sizes_take_turns() -> None:
    tournament = played("sizes")
    sizes = [stage.game.n_seats for stage, _ in tournament.results]
    assert sizes[:4] == [2, 3, 4, 2]
    assert sum(stage.deals for stage, _ in tournament.results) == 60
    games, ratings = tournament.elo_history()[0]
    assert len(games) == len(ratings) == tournament.n_games
    assert tournament.rows()[0].elo is not None


def test_evolution_clones_the_best_and_drops_the_worst() -> None:
    tournament = played("evolve")
    assert len(tournament.events) == 2  # three generations of 20 deals
    assert tournament.elo.k == pytest.approx(K_START * K_FALL**2)
    roles = [row.role for row in tournament.rows()]
    assert roles.count("dropped") == 2
    assert len(roles) == 6
    last, _ = tournament.results[-1]
    assert len(last.entrants) == 4
    clone = tournament.events[0].split("cloned as ")[1].split(",")[0]
    parent = tournament.events[0].split(": ")[1].split(" (")[0]
    assert tournament.specs[tournament.names.index(clone)] == parent
    for entrant, (games, _) in enumerate(tournament.elo_history()):
        stages = [stage for stage, _ in tournament.results if entrant in stage.entrants]
        assert len(games) == sum(stage.deals * 4 for stage in stages)


def test_anchors_keep_the_ratings_they_have_among_themselves() -> None:
    tournament = played("ladder")
    anchors = {row.name: row for row in tournament.rows() if row.role == "anchor"}
    among = tournament.results[0][1].sample.ratings()
    assert anchors["random"].rating.mean == pytest.approx(among.elo[0])
    assert tournament.ladder is not None
    assert tournament.ladder.frozen == {2, 3}
    best = tournament.rows()[0]
    assert best.name == "closest"
    assert best.skill is not None


def test_one_anchor_is_enough() -> None:
    form = settings(form="ladder", agents=("closest",), anchors=("random",))
    tournament = finish(Tournament(form))
    assert [row.rating.mean for row in tournament.rows() if row.role] == [0]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"form": "ladder"}, "at least one anchor"),
        ({"anchors": ("random",)}, "anchors belong to a ladder"),
        ({"form": "random", "agents": ("random",)}, "at least two agents"),
        ({"form": "random", "agents": ("random", "random")}, "random tables of 3 need as many"),
        ({"form": "evolve", "agents": ("random",)}, "an evolving tournament needs at least two"),
        ({"form": "evolve", "deals": 32765, "generation": 1}, "at most 32,767 .* this one 32,768"),
        ({"sizes": (2, 3)}, "need random tables, not a round robin"),
        ({"form": "random", "sizes": (2,), "game": "connect4"}, "not played at tables of several"),
        ({"form": "random", "sizes": (2, 11)}, "players=11"),
        ({"agents": ("randon", "random")}, "did you mean 'random'"),
        ({"game": "nimt"}, "did you mean 'nimmt'"),
    ],
)
def test_settings_that_make_no_tournament_are_refused(
    changed: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(KibitzError, match=sentence):
        Tournament(settings(**changed))


@pytest.mark.parametrize(
    "bad", [{"deals": 0}, {"form": "swiss"}, {"nothing": 1}, {"agents": []}, {"seed": -1}]
)
def test_stored_settings_are_checked(bad: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="settings of a tournament: "):
        Settings.read({"game": "nimmt", "agents": ["random"], **bad})


@pytest.mark.parametrize(
    "bad", [{"agents": ["random"]}, {"agents": (1,)}, {"deals": "9"}, {"deals": 2.5}, {"x\n": 1}]
)
def test_settings_of_the_wrong_type_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="^settings of a tournament: .*$"):
        settings(**bad)


def test_a_tournament_is_played_once() -> None:
    tournament = played("round-robin")
    before = rows(tournament)
    with pytest.raises(KibitzError, match="has been played"):
        finish(tournament)
    assert rows(tournament) == before


def test_an_agent_that_cannot_be_made_does_not_end_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def leave(agent: Agent, game: Game, config: object = None) -> None:
        raise SystemExit(0)

    monkeypatch.setattr("kibitz.search.random.RandomAgent.__init__", leave)
    with pytest.raises(KibitzError, match="agent 'random' cannot be made: it raised SystemExit"):
        Tournament(settings())


def test_settings_survive_being_stored() -> None:
    for form in FORMS.values():
        assert Settings.read(form.model_dump(mode="json")) == form


def test_nothing_played_has_no_table() -> None:
    with pytest.raises(KibitzError, match="not a single deal"):
        Tournament(settings()).rows()


def test_a_game_of_two_sides_is_rated_from_both_seats() -> None:
    bots = ("random", "centre", "winning-move")
    tournament = finish(Tournament(settings(game="connect4", agents=bots, deals=100)))
    assert [row.name for row in tournament.rows()] == ["winning-move", "centre", "random"]


def test_one_agent_has_one_name_however_it_is_written() -> None:
    bots = ("random", "random ")
    assert Tournament(settings(agents=bots)).names == ["random", "random #2"]
