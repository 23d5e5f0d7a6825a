// Looking on: tables that run, and bots that one lets play.
import { useState } from "preact/hooks";
import { games, lobby, makeTable } from "../api";
import { useAnswer } from "../answer";
import { Emblem } from "../cards/emblems";
import { Frame } from "../frame";
import { go } from "../router";
import { inOrder, newTable } from "../rules";
import type { GameInfo } from "../wire";
import { tells } from "../words/pages";
import { say } from "../words/shell";
import "../style/home.css";
import "../style/pages.css";

export function WatchPage() {
  const known = useAnswer(games, []);
  return (
    <Frame title={say("watch")}>
      <h1>{say("watch")}</h1>
      <p class="muted page-about">{tells("watch-about")} {tells("spectators")}</p>
      <Running />
      <h2 class="page-part">{tells("start-bots")}</h2>
      {known.error && <p class="error" role="alert">{say("went-wrong", { why: known.error })}</p>}
      <div class="home-games">
        {inOrder(known.answer ?? []).map((game) => <Bots key={game.name} game={game} />)}
      </div>
    </Frame>
  );
}

function Running() {
  const { answer } = useAnswer(lobby, [], 4000);
  const running = answer?.filter((table) => table.status === "playing") ?? [];
  return (
    <section class="panel" aria-labelledby="running">
      <h2 id="running">{tells("running")}</h2>
      {answer && !running.length && <p class="muted">{tells("running-none")}</p>}
      <ul class="home-tables" data-testid="running">
        {running.map((table) => (
          <li key={table.id}>
            <div class="home-table">
              <b>{table.title}</b>
              <small class="muted">{table.seats.map((seat) => seat.name).join(", ")}</small>
            </div>
            <a class="button small" href={`/t/${table.id}`} aria-label={`${say("watch-table")}: ${table.title}`}>{say("watch-table")}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Bots({ game }: { game: GameInfo }) {
  const usual = game.levels.find((level) => level.name === "club") ?? game.levels[0];
  const [level, setLevel] = useState(usual?.name ?? "");
  const [error, setError] = useState("");
  const begin = () =>
    void makeTable(newTable(game, {}, level, "watch")).then(
      (made) => go(`/t/${made.id}`),
      (refusal: Error) => setError(say("went-wrong", { why: refusal.message })),
    );
  return (
    <section class="home-game panel" aria-label={game.title}>
      <Emblem game={game.name} />
      <h3>{game.title}</h3>
      <label class="field">
        <span>{say("strength")}</span>
        <select class="input" value={level} onChange={(event) => setLevel(event.currentTarget.value)}>
          {game.levels.map((one) => <option value={one.name} selected={one.name === level}>{one.title}</option>)}
        </select>
      </label>
      {error && <p class="error" role="alert">{error}</p>}
      <button class="button primary home-play" data-testid={`watch-${game.name}`} onClick={begin}>
        {tells("start-watch", { game: game.title })}
      </button>
    </section>
  );
}
