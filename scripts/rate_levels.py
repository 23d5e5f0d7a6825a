"""Rate the levels of the web table by tournaments on duplicate deals, and write them down.

    python scripts/rate_levels.py nimmt --deals 400

Levels of a game meet at random tables, together with `random`, which has rating 0. Ratings are Elo
by maximum likelihood with 95 % intervals over deals; they go into `levels.toml` of the game.
"""

import argparse
import time
import tomllib
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from kibitz.arena.tournament import Settings, Tournament
from kibitz.core.registry import game_facts, load_game
from kibitz.web.levels import LAST_RESORT, NAMES, levels_of

HEAD = "# Who people meet at the web table. Ratings are written by scripts/rate_levels.py.\n"
PLAYED = {
    "connect4": "connect4:opening=4",
    "nimmt": "nimmt:players=4,rows=free",
    "sheephead": "sheephead:hands=1",
    "tichu": "tichu",
}
"""What is played: single rounds, as people play them; of Connect 4, from openings that differ."""


def rate(game: str, deals: int, seed: int, seconds: float) -> dict[str, dict[str, object]]:
    """Play a tournament, or what time allows of it; return the rating of each spec."""
    specs = list(dict.fromkeys([LAST_RESORT, *(level.spec for level in levels_of(game))]))
    spec = PLAYED.get(game, load_game(game, "people").spec)
    settings = Settings(game=spec, agents=tuple(specs), form="random", deals=deals, seed=seed)
    tournament = Tournament(settings, batch_size=len(specs))
    end = time.monotonic() + seconds
    with closing(tournament.play()) as played:
        for _ in played:
            if time.monotonic() > end:
                break
    ratings = tournament.ratings().anchored(0, 0.0)
    found = {}
    for number, one in enumerate(specs):
        estimate = ratings.estimate(number)
        found[one] = {
            "value": round(estimate.mean),
            "low": round(estimate.low),
            "high": round(estimate.high),
            "n": int(ratings.n_games[number]),
            "against": LAST_RESORT,
        }
    return found


def write(game: str, found: dict[str, dict[str, object]]) -> Path:
    """Write the ratings into the file of a game."""
    path = Path(str(files(game_facts(game).package) / "levels.toml"))
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    lines = [HEAD]
    if "daily" in said:
        lines.append(f'daily = "{said["daily"]}"\n')
    for name in NAMES:
        if name not in said:
            continue
        spec = said[name]["spec"]
        facts = ", ".join(
            f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}"
            for key, value in found[spec].items()
        )
        lines.append(f'[{name}]\nspec = "{spec}"\nrating = {{ {facts} }}\n')
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def main() -> None:
    """Rate the levels of one game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600, help="stop after so long")
    asked = parser.parse_args()
    found = rate(asked.game, asked.deals, asked.seed, asked.seconds)
    for spec, rating in found.items():
        print(spec, rating)
    print(write(asked.game, found))


if __name__ == "__main__":
    main()
