"""PPO: its objective and advantages by hand, a tiny game, networks in kernels, exact resuming."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import SpecError
from tests.learn.learning import BEST, FORK, assert_resumes_exactly, scores_of_greedy, train

pytestmark = pytest.mark.train

SMALL = {"hidden": (16,), "critic_hidden": (16,), "scale": 4.0, "games": 32, "batch": 64}
FORKED = {"critic": "view", "chain": "seat", "learning_rate": 0.02, "critic_rate": 0.02}


def make(game: Any = FORK, **changed: Any) -> Any:
    from kibitz.learn.ppo import Ppo, PpoConfig

    return Ppo(game, PpoConfig(**{**SMALL, **FORKED, **changed}), 1)


def tichu(**changed: Any) -> Any:
    few = {"games": 2, "chain": "side", "critic": "oracle", "encoding": "candidates"}
    return make(kibitz.load_game("tichu"), **few | changed)


def test_the_clipped_objective_and_its_gradient(torch: Any) -> None:
    from kibitz.learn.ppo import Batch, PpoConfig, losses

    # Four decisions of two candidates each, the policy is 3/4 and 1/4; the first is chosen.
    scores = torch.tensor([math.log(3), 0.0] * 4, requires_grad=True)
    owners, chosen = torch.tensor([0, 0, 1, 1, 2, 2, 3, 3]), torch.tensor([0, 2, 4, 6])
    old = torch.tensor([3 / 4, 1 / 2, 1 / 2, 1 / 4]).log()  # ratios 1, 3/2, 3/2 and 3
    gained = torch.tensor([2.0, 1.0, -1.0, 1.0])
    forced = torch.tensor([False, False, False, True])
    found = losses(Batch(scores, owners, chosen, old, gained, forced), PpoConfig(clip=0.2))
    # 2 * 1; clipped at 1.2; not clipped, as -1.5 < -1.2; tried on purpose: 1 * log 3/4
    assert found.policy.item() == pytest.approx(-(2 + 1.2 - 1.5 + math.log(3 / 4)))
    assert found.clipped.item() == 2
    one = -3 / 4 * math.log(3 / 4) - 1 / 4 * math.log(1 / 4)
    assert found.entropy.item() == pytest.approx(4 * one)
    found.policy.backward()
    # d(-A r) = -A r (1 - pi) by the chosen one's score; nothing where it is clipped
    assert scores.grad[::2].tolist() == pytest.approx([-2 / 4, 0, 1.5 / 4, -1 / 4])


def test_what_fails_on_purpose_is_not_made_rarer_than_the_floor(torch: Any) -> None:
    from kibitz.learn.ppo import Batch, PpoConfig, losses

    scores = torch.tensor([0.0, math.log(99.0)], requires_grad=True)  # 1 % and 99 %
    rest = torch.tensor([0]), torch.tensor([0.0]), torch.tensor([-1.0]), torch.tensor([True])
    batch = Batch(scores, torch.tensor([0, 0]), *rest)
    losses(batch, PpoConfig(floor=0.02)).policy.backward()
    assert scores.grad.tolist() == [0, 0]
    losses(batch, PpoConfig(floor=0.001)).policy.backward()
    assert scores.grad[0] > 0


class Played:
    """Two games of two sides: three decisions of seats 0, 1, 0, then one of seat 1."""

    games, seats = np.array([0, 0, 0, 1]), np.array([0, 1, 0, 1])
    scores = np.array([[8.0, -8.0], [-4.0, 4.0]])
    running = np.array([0.0, -4.0, 4.0, 0.0])

    def __len__(self) -> int:
        """Count the decisions."""
        return 4


@pytest.mark.parametrize(
    ("chain", "by_turns", "expected"),
    [
        # In units of 4 points. Side: 0's values are 1, -(-1), 1/2 and the result is 2.
        # d = 1 - 1, 1/2 - 1, 2 - 1/2; A2 = 3/2, A1 = -1/2 + 3/4, A0 = 0 + 1/8; seat 1's turn round
        ("side", False, [1 / 8, -1 / 4, 3 / 2, 1 - 1 / 4]),
        # rewards 1, 0, 1 for side 0: d = 1, -1/2, 1 - 1/2; A2 = 1/2, A1 = -1/4, A0 = 1 - 1/8
        ("side", True, [7 / 8, 1 / 4, 1 / 2, 1 - 1 / 4]),
        # seat 0: d = 1/2 - 1, 2 - 1/2; seat 1: d = -2 + 1
        ("seat", False, [-1 / 2 + 3 / 4, -1, 3 / 2, 1 - 1 / 4]),
    ],
)
def test_advantages_by_hand(torch: Any, chain: str, by_turns: bool, expected: list[float]) -> None:
    from kibitz.learn.actors import ActorConfig, advantages

    config = ActorConfig(chain=chain, by_turns=by_turns, scale=4.0, lam=0.5)  # type: ignore[arg-type]
    values = np.array([1.0, -1.0, 0.5, 0.25])
    played: Any = Played()
    gained, targets = advantages(played, values, np.array([0, 1]), config)
    assert gained.tolist() == pytest.approx(expected)
    left = played.running if by_turns else 0
    results = np.array([8, -8, 8, 4]) - left
    assert targets.tolist() == pytest.approx((results / 4).tolist())  # with lambda = 1


@pytest.mark.parametrize("inputs", ["view", "candidates"])
@pytest.mark.parametrize("workers", [1, 2])
def test_it_learns_to_play_fork_perfectly(
    torch: Any, inputs: str, workers: int, tmp_path: Path
) -> None:
    learner = train(make(inputs=inputs, workers=workers), 40)
    assert scores_of_greedy(tmp_path / "model", learner) == BEST


@pytest.mark.parametrize("inputs", ["view", "candidates"])
def test_kernels_and_torch_say_the_same(torch: Any, inputs: str) -> None:
    from kibitz.learn.actors import log_softmax

    learner = tichu(inputs=inputs, hidden=(32, 16))
    (part,) = learner.play()
    rows = np.arange(len(part))
    scores, owners = learner.scores_of(part, rows)
    log_policy = log_softmax(scores, owners, len(part))
    chosen = log_policy[torch.from_numpy(part.first[:-1] + part.chosen)]
    np.testing.assert_allclose(chosen.detach().numpy(), part.log_probs, atol=1e-4)
    assert len(part) > 40
    assert part.log_probs.max() < -0.1


def test_it_resumes_exactly_with_older_selves_and_a_teacher(torch: Any) -> None:
    pool = {"latest": 0.3, "older": 0.5, "bots": ("random",), "bot_shares": (0.2,)}
    few = {"snapshot_every": 20, "keep": 2, "games": 8, "workers": 2}
    teaching = {"teacher": "random", "teacher_steps": 2, "teacher_games": 4}
    assert_resumes_exactly(lambda: make(**pool, **few, **teaching))


def test_a_step_depends_on_the_number_of_workers_only_by_rounding(torch: Any) -> None:
    learners: Any = [train(make(workers=n, games=16), 1) for n in (1, 2)]
    one, two = learners
    for a, b in zip(one.policy.parameters(), two.policy.parameters(), strict=True):
        assert torch.allclose(a, b, atol=0.05)
    games = [sum(part.n_games for part in learner.play()) for learner in (one, two)]
    assert games == [16, 16]


def test_batches_smaller_than_the_number_of_workers_are_learnt_from(torch: Any) -> None:
    learner = make(batch=1, critic_batch=1, workers=2, games=4)
    rows = [np.arange(3), np.arange(2)]
    cut = learner.batches(rows, 1, np.random.default_rng(1))
    assert [[len(part) for part in batch] for batch in cut] == [[1, 1], [1, 1], [1, 0]]
    assert np.isfinite(learner.step()["loss/policy"])


def test_calls_are_tried_on_purpose_and_noted(torch: Any) -> None:
    often = "calls:grand=1,grand_from=0,tichu=0"
    (part,) = tichu(explore=often).play()
    assert part.forced.sum() == 8  # everybody calls Grand Tichu
    (plain,) = tichu().play()
    assert not plain.forced.any()


def test_what_a_critic_sees_names_the_opponents_and_all_hands(torch: Any) -> None:
    learner = tichu(latest=0.0, older=0.0, bots=("rule",), bot_shares=(1.0,))
    (part,) = learner.play()
    bag, n = part.truths.candidates, learner.troupe.n_truth
    row = bag.places[bag.ends[0] : bag.ends[1]]
    assert row[-1] == n - (2 + 1 + 8) + 1  # the first bot; kinds stand at the end
    assert set(part.seats[part.games == 0]) == {0, 2}  # partners learn, the bots are not noted
    assert learner.step()["score/rule"] < 0


def test_models_call_in_place_of_networks_and_nothing_is_learnt_from_it(torch: Any) -> None:
    always = tichu(answers="caller:grand_cutoff=0,tichu_cutoff=0")
    (part,), (free,) = always.play(), tichu().play()
    first = [int(np.diff(one.first)[0]) for one in (part, free)]
    assert first[0] > first[1] == 2  # the exchange comes first where no question is noted
    told = always.step()
    assert (told["calls/grand"], told["calls/tichu"]) == (1, 0)
    assert tichu(answers="caller:grand_cutoff=1,tichu=none").step()["calls/grand"] == 0
    shares = [number for name, number in told.items() if name.startswith("plays/")]
    assert sum(shares) == pytest.approx(1)
    with pytest.raises(SpecError, match="does not answer questions for networks"):
        tichu(answers="rule")


def test_a_saved_critic_says_in_kernels_what_it_said_while_learning(
    torch: Any, tmp_path: Path
) -> None:
    from kibitz.core.game import apply, conceal, deal, movers, random_action
    from kibitz.core.rng import Purpose, derive
    from kibitz.learn.drafts import Making, save_drafts
    from kibitz.learn.recipe import load_recipe
    from kibitz.search.candidates import judge, make_critic
    from kibitz.search.models import load_model

    learner = tichu(critic_hidden=(32, 16))
    learner.step()
    save_drafts(
        *(tmp_path, learner.game, load_recipe("tichu-best"), learner.drafts()),
        Making(1, 1.0, "not measured"),
    )
    game, rng, states = learner.game, derive(3, Purpose.PLAYOUT), learner.game.blank(2)
    critic = make_critic(load_model(f"{tmp_path}/critic", game, "critic"), game)
    deal(states[0], rng)
    seat = 0
    while not states[0].played.any():
        seat = int(movers(states[0])).bit_length() - 1
        apply(states[0], seat, random_action(states[0], seat, rng))
    states[1] = states[0]
    conceal(states[1], seat)
    known, seats = game.encodings["full"].size, np.array([seat])
    hidden = game.oracle.observe(states[:1], seats)[:, known:]
    kinds = np.eye(1, 2 + 8)  # the first kind: players like itself
    row = np.hstack([learner.reader.encoding.observe(states[1:], seats), hidden, kinds])
    said = learner.critic(torch.from_numpy(row.astype(np.float32)))["value"].item()
    assert judge(critic, states[0], states[1], seat) == pytest.approx(4.0 * said, abs=1e-3)


def test_bad_parameters_are_refused(torch: Any) -> None:
    for wrong, told in (
        ({"bots": ("random",)}, "every bot of the pool has a share"),
        ({"games": 0}, "games=0: expected 1 to"),
        ({"scale": 0.0}, "scale=0.0: expected above 0"),
        ({"skip": 0.0}, "skip=0.0: expected above 0"),
        ({"teacher_steps": 1}, "need a teacher"),
        ({"hidden": ()}, "a hidden layer or more"),
        ({"workers": 100}, "workers=100: expected 1 to 64"),
        ({"explore": "calls"}, "has no exploration"),
        ({"critic": "oracle"}, "has no oracle"),
    ):
        with pytest.raises(SpecError, match=told):
            make(**wrong)
    three = kibitz.load_game("nimmt:players=3")
    with pytest.raises(SpecError, match="take chain=seat"):
        make(three, chain="side")
    with pytest.raises(SpecError, match="cannot play inside a kernel"):
        make(bots=("mcs:sims=2",), bot_shares=(9.0,), latest=0.0, older=0.0).play()
    with pytest.raises(SpecError, match="has no parameter 'grant'"):
        tichu(explore="calls:grant=1")
    with pytest.raises(SpecError, match="grand is a number"):
        tichu(explore="calls:grand=x")


def test_a_model_begins_as_another_and_lets_the_critic_learn_first(torch: Any) -> None:
    from kibitz.search.models import load_model

    same = {"encoding": "plans", "hidden": (256, 64, 32), "begin": "tichu-best"}
    learner = tichu(**same, begin_steps=1)
    shipped = [weights for weights, _ in load_model("tichu-best", learner.game).layers]
    assert "loss/policy" not in learner.step()
    assert all(map(np.array_equal, shipped, (weights for weights, _ in learner.policy.layers())))
    assert "loss/policy" in learner.step()
    assert not np.array_equal(shipped[0], learner.policy.layers()[0][0])


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"begin": "tichu-best", "encoding": "plans"}, "cannot begin as one of"),
        ({"begin": "tichu-best"}, "sees plans, and the recipe candidates"),
        ({"begin": "tichu-best", "teacher": "rule"}, "drop the teacher"),
        ({"begin_steps": 3}, "need a model to begin with"),
    ],
)
def test_what_cannot_begin_is_refused(torch: Any, changed: Any, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        tichu(**changed)


def test_a_run_that_could_not_begin_leaves_its_folder_free(torch: Any, tmp_path: Path) -> None:
    from kibitz.learn.recipe import change, load_recipe
    from kibitz.learn.trainer import train as train_recipe

    recipe = change(load_recipe("tichu-rule"), ["begin=nosuch"])
    for _ in range(2):
        with pytest.raises(SpecError, match="unknown model 'nosuch'"):
            train_recipe(recipe, tmp_path / "run")
