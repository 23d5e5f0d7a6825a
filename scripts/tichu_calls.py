"""Calling models of Tichu: do hands go out first as often as they say, and which cutoff pays?

    python scripts/tichu_calls.py calibration tichu-grand grand --rounds 5000 --plot grand.png
    python scripts/tichu_calls.py cutoffs convention --cutoffs 0.4 0.5 0.6 --deals 1000
    python scripts/tichu_calls.py pays convention grand --cutoff 0.5 --deals 4000

`calibration` plays rounds of a population that the model was not trained on (another seed) and
compares, by tenths, what it says with what came true. `cutoffs` plays `caller` on top of a player
against that player on duplicate deals, `pays` against the same caller that never calls so: what
differs are the rounds with a call.
"""

import argparse
from pathlib import Path

import numpy as np

import kibitz
from kibitz import arena

GAME = "tichu"
BINS = 10


def calibrate(model: str, question: str, population: str, rounds: int, plot: str | None) -> None:
    """Print what a model says of fresh hands beside what came true, with 95 % intervals."""
    from kibitz.learn.calling import Calling, CallingConfig
    from kibitz.search.models import load_model

    game = kibitz.load_game(GAME)
    settings = CallingConfig(question=question, population=population, games=rounds)  # type: ignore[arg-type]
    counts, is_first = Calling(game, settings, 1)._play(987_654_321)
    loaded = load_model(model, game)
    said = loaded.read_values(loaded.evaluate(counts)["value"])[:, 0]
    places = np.minimum((said * BINS).astype(int), BINS - 1)
    rows = []
    for place in range(BINS):
        here = places == place
        n = int(here.sum())
        if n:
            share = float(is_first[here].mean())
            rows.append(
                (float(said[here].mean()), share, 1.96 * (share * (1 - share) / n) ** 0.5, n)
            )
    print(f"{model}: {len(said)} hands of {population}, {is_first.mean():.3f} of them out first")
    for mean, share, error, n in rows:
        print(f"says {mean:.3f}, came true {share:.3f} ±{error:.3f} of {n}")
    weights = np.array([n for *_, n in rows])
    gaps = np.array([abs(mean - share) for mean, share, *_ in rows])
    print(f"mean distance {np.average(gaps, weights=weights):.3f}")
    if plot:
        _draw(rows, model, Path(plot))


def _draw(rows: list[tuple[float, float, float, int]], model: str, path: Path) -> None:
    """Draw what came true over what was said."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.5, 4.5), layout="constrained")
    axes = figure.add_subplot()
    said, share, error, _ = zip(*rows, strict=True)
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
    axes.errorbar(said, share, yerr=error, fmt="o")
    axes.set(xlabel="said: goes out first", ylabel="came true (95 %)", title=model)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    figure.savefig(path, dpi=120)


def search(of: str, cutoffs: list[float], deals: int, seed: int) -> None:
    """Print points per round of calling by models from a cutoff on, against the same player."""
    game = kibitz.load_game(GAME)
    below = kibitz.load_agent(of, game)
    for question in ("grand", "tichu"):
        other = "tichu" if question == "grand" else "grand"
        for cutoff in cutoffs:
            spec = f"caller:of={of},{other}=none,{question}_cutoff={cutoff}"
            agents = [kibitz.load_agent(spec, game), below]
            sample = arena.play(game, agents, deals, seed).sample
            print(f"{question} from {cutoff}: {sample.score(0)} per round", flush=True)


def pay(of: str, question: str, cutoff: float, deals: int, seed: int) -> None:
    """Print what a call brings, against the same player that leaves it."""
    game = kibitz.load_game(GAME)
    other = "tichu" if question == "grand" else "grand"
    calls, never = (
        kibitz.load_agent(f"caller:of={of},{other}=none,{question}_cutoff={at}", game)
        for at in (cutoff, 1.0)
    )
    sample = arena.play(game, [calls, never], deals, seed).sample
    # Where nobody calls, both games of a deal are the same and their leads cancel.
    gains = 2 * sample.per_deal[:, 0]
    called = gains[gains != 0]
    error = 1.96 * called.std(ddof=1) / len(called) ** 0.5
    print(f"{question} from {cutoff} of {of}: {sample.score(0)} per round of all")
    print(
        f"{len(called)} of {deals} deals have such a call, which brings {called.mean():.1f}", end=""
    )
    print(f" ±{error:.1f} points")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("calibration")
    one.add_argument("model")
    one.add_argument("question", choices=["grand", "tichu"])
    one.add_argument("--population", default="convention")
    one.add_argument("--rounds", type=int, default=2000)
    one.add_argument("--plot")
    two = commands.add_parser("cutoffs")
    two.add_argument("of")
    two.add_argument("--cutoffs", type=float, nargs="+", default=[0.4, 0.5, 0.6, 0.7])
    two.add_argument("--deals", type=int, default=1000)
    two.add_argument("--seed", type=int, default=1)
    three = commands.add_parser("pays")
    three.add_argument("of")
    three.add_argument("question", choices=["grand", "tichu"])
    three.add_argument("--cutoff", type=float, default=0.5)
    three.add_argument("--deals", type=int, default=1000)
    three.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.command == "calibration":
        calibrate(given.model, given.question, given.population, given.rounds, given.plot)
    elif given.command == "pays":
        pay(given.of, given.question, given.cutoff, given.deals, given.seed)
    else:
        search(given.of, given.cutoffs, given.deals, given.seed)


if __name__ == "__main__":
    main()
