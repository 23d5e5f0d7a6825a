// The deal of the day: the same cards for everybody, and how everybody did.
import { useState } from "preact/hooks";
import { daily, games, playDaily, type Daily } from "../api";
import { useAnswer } from "../answer";
import { Emblem } from "../cards/emblems";
import { Frame } from "../frame";
import { scoreText } from "../opinions";
import { go } from "../router";
import { inOrder } from "../rules";
import type { GameInfo } from "../wire";
import { day, unitName } from "../words";
import { tells } from "../words/pages";
import { say } from "../words/shell";
import "../style/home.css";
import "../style/pages.css";
import "../style/table.css";

export function DailyPage() {
  const { answer, error } = useAnswer(games, []);
  return (
    <Frame title={say("daily")}>
      <h1>{say("daily")}</h1>
      <p class="muted page-about">{say("daily-about")}</p>
      {error && <p class="error" role="alert">{say("went-wrong", { why: error })}</p>}
      <div class="home-games">
        {inOrder(answer ?? []).map((game) => <DailyCard key={game.name} game={game} />)}
      </div>
    </Frame>
  );
}

function DailyCard({ game }: { game: GameInfo }) {
  const { answer } = useAnswer(() => daily(game.name), [game.name]);
  const [error, setError] = useState("");
  const begin = () =>
    void playDaily(game.name).then(
      (made) => go(`/t/${made.id}`),
      (refusal: Error) => setError(say("went-wrong", { why: refusal.message })),
    );
  return (
    <section class="home-game panel" aria-label={game.title}>
      <Emblem game={game.name} />
      <h2>{game.title}</h2>
      {answer && <p class="muted">{day(answer.date)}</p>}
      {answer && <Results answer={answer} unit={game.unit} />}
      {error && <p class="error" role="alert">{error}</p>}
      {answer?.mine ? (
        <a class="button home-play" href={`/t/${answer.mine}`}>{say("daily-see")}</a>
      ) : (
        <button class="button primary home-play" data-testid={`daily-${game.name}`} onClick={begin}>{say("daily-play")}</button>
      )}
    </section>
  );
}

function Results({ answer, unit }: { answer: Daily; unit: string }) {
  if (!answer.results.length) return <p class="muted">{say("daily-none")}</p>;
  return (
    <>
      <p class="muted">{say("daily-n", { n: answer.n })}</p>
      <table class="scores">
        <thead>
          <tr>
            <th scope="col">{tells("place")}</th>
            <th scope="col">{tells("name")}</th>
            <th scope="col">{unitName(unit)}</th>
          </tr>
        </thead>
        <tbody>
          {answer.results.slice(0, 10).map((result, i) => (
            <tr class={result.you ? "is-you" : ""}>
              <td class="scores-place">{i + 1}</td>
              <th scope="row">{result.name}</th>
              <td>{scoreText(result.score)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
