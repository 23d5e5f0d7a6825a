"""How long players of Sheephead think about a card."""

from functools import partial

from kibitz.bench.measure import Benchmark, Sample, Target, cpu_time
from kibitz.core.game import apply, conceal
from kibitz.core.registry import load_agent, load_game
from kibitz.games.sheephead.pimc import random_hand
from kibitz.games.sheephead.state import HAND_CARDS, PLAYING

SEED = 1
N_HANDS = 10


def sheephead_decisions() -> list[Benchmark]:
    """Measure cards of picked hands: sampled and solved worlds, `best`, and its policy alone."""
    return [
        Benchmark(
            name=f"sheephead.{name}",
            unit="ms",
            about=f"a card chosen by {spec}, mean over {N_HANDS} hands; CPU time",
            ours=partial(_decisions, spec),
            target=Target(most, at_most=True),
            lower_is_better=True,
            most_repeats=3,
        )
        for name, spec, most in (
            ("pimc_decision", "pimc:worlds=30", 1000),
            ("best_decision", "best", 1000),
            ("policy_decision", "best:search=none", 1),
        )
    ]


def _decisions(spec: str) -> Sample:
    """Let a bot play hands against itself, then ask it the same questions again."""
    game = load_game("sheephead")
    player = load_agent(spec, game)
    questions = []
    for number in range(N_HANDS):
        state = random_hand(game, HAND_CARDS, SEED, number)
        while state.phase == PLAYING:
            seat = int(state.turn)
            view = state.copy()
            conceal(view, seat)
            choices = game.legal(view, seat)
            if len(choices) > 1:
                questions.append((view, seat))
                choices = player.decide(view, seat).actions.tolist()
            apply(state, seat, choices[0])

    def answer_all() -> None:
        for view, seat in questions:
            player.decide(view, seat)

    return lambda seconds: 1000 * cpu_time(answer_all) / len(questions)
