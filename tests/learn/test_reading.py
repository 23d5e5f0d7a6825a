"""What networks see of decisions, and which column an action is; whole games for learning."""

from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.lanes import Lanes, Turn
from kibitz.learn.episodes import Chosen, Tables

CONNECT4 = kibitz.load_game("connect4")


def first_legal(turn: Turn) -> Chosen:
    """Choose what stands first."""
    return Chosen(turn.legal.actions[turn.legal.offsets[:-1]], {})


def any_legal(turn: Turn) -> Chosen:
    """Choose by the number of the decision, so that games last differently long."""
    counts = np.diff(turn.legal.offsets)
    return Chosen(turn.legal.actions[turn.legal.offsets[:-1] + turn.ids * 7 % 11 % counts], {})


def test_a_batch_has_exactly_the_games_that_were_asked_for() -> None:
    tables = Tables(CONNECT4, ["self"], 20, by_turns=True)
    played = tables.play(any_legal, 3)
    assert (played.n_games, int(played.is_last.sum())) == (20, 40)
    ends = np.flatnonzero(played.is_last)
    lengths = np.diff(ends, prepend=-1)
    assert len(set(lengths.tolist())) > 2  # games of different lengths are whole
    assert np.add.reduceat(played.rewards, ends - lengths + 1).tolist() == (
        played.scores[ends].tolist()
    )


def test_a_batch_follows_from_its_seed() -> None:
    nimmt = kibitz.load_game("nimmt:players=3")
    one, again, other = (
        Tables(nimmt, ["random"], 6, by_turns=True).play(first_legal, seed) for seed in (1, 1, 2)
    )
    assert one.kept["views"].tobytes() == again.kept["views"].tobytes()
    assert one.rewards.tolist() == again.rewards.tolist()
    assert one.kept["views"].tobytes() != other.kept["views"].tobytes()
    assert len(one) == 6 * 9  # one learner at each table; its tenth card is forced
    assert one.kept["seats"][::9].tolist() == [0, 1, 2, 0, 1, 2]


def test_opponents_forget_games_that_are_not_played_to_their_end() -> None:
    class Forgetful(type(kibitz.load_agent("random", CONNECT4))):  # type: ignore[misc]
        as_policy = None
        known: set[int]

        def act(self, views: Any, seats: Any, rngs: Any, games: Any) -> Any:
            self.known |= set(games.tolist())
            return super().act(views, seats, rngs, games)

        def end(self, games: Any) -> None:
            self.known -= set(games.tolist())

    tables = Tables(CONNECT4, ["random"], 5, by_turns=True)
    agent = Forgetful(CONNECT4)
    agent.known = set()
    tables.agents[0] = agent
    tables.play(any_legal, 1)
    assert agent.known == set()


@pytest.mark.train
def test_candidates_are_scored_as_if_each_were_a_row_of_its_own(torch: Any) -> None:
    from kibitz.learn.networks import Mlp
    from kibitz.learn.reading import NEVER, Reader

    nimmt = kibitz.load_game("nimmt:players=3")
    reader = Reader(nimmt, "paper", "candidates")
    turn = Lanes(nimmt, 2, 1).ask()
    seen = reader.read(turn.views, turn.seats, turn.legal)
    for hidden in ((8,), ()):
        module = Mlp(reader.n_inputs, hidden, {"policy": 1, "q": 1}, seed=3)
        with torch.no_grad():
            found = reader.score(module, seen)
            rows = torch.cat([seen.features[seen.owners], seen.rows], dim=1)
            flat = module(rows)["q"][:, 0]
        assert found["q"].shape == (6, 10)
        assert torch.allclose(found["q"].reshape(-1), flat, atol=1e-4)  # ten cards each
    fewer = seen._replace(mask=torch.ones(6, 11, dtype=torch.bool))
    with torch.no_grad():
        assert reader.score(module, fewer)["q"][:, 10].tolist() == [NEVER] * 6


@pytest.mark.train
@pytest.mark.parametrize("inputs", ["view", "candidates"])
def test_the_column_of_an_action_is_the_one_that_was_scored(torch: Any, inputs: Any) -> None:
    from kibitz.learn.reading import NEVER, Reader

    nimmt = kibitz.load_game("nimmt:players=3")
    reader = Reader(nimmt, "full", inputs)
    turn = Lanes(nimmt, 2, 1).ask()
    seen = reader.read(turn.views, turn.seats, turn.legal)
    n_columns = 108 if inputs == "view" else 10
    assert seen.mask.shape == (6, n_columns)
    assert seen.mask.sum(dim=1).tolist() == [10] * 6
    fourth = turn.legal.actions[turn.legal.offsets[:-1] + 3]  # of the hand, from the lowest
    wanted = fourth - 1 if inputs == "view" else np.full(6, 3)
    logits = torch.where(seen.mask, 0.0, NEVER)
    logits[range(6), wanted] = 50.0
    picked = reader.pick(turn, seen, logits)
    assert picked.actions.tolist() == fourth.tolist()
    assert picked.columns.tolist() == wanted.tolist()
    assert picked.probabilities[range(6), wanted] == pytest.approx(1)
