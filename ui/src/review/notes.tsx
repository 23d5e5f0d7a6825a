// Beside the mistakes: luck, what bots made of the same deal, and what to do with the game.
import { useState } from "preact/hooks";
import { again, recordOf } from "../api";
import { Check } from "../check";
import { Copy } from "../copy";
import { recordName } from "../fair";
import { scoreText, valueText } from "../opinions";
import { go } from "../router";
import type { ReviewState, TableInfo } from "../wire";
import { look } from "../words/review";
import { say } from "../words/shell";
import { positionLink } from "./model";

export function Luck({ luck }: { luck: ReviewState["luck"] }) {
  if (!luck) return null;
  const text = (value: number) => valueText(value, "score");
  return (
    <section class="panel" aria-labelledby="luck" data-testid="luck">
      <h2 id="luck">{look("luck")}</h2>
      <p>
        {look("luck-line", {
          result: scoreText(luck.result),
          adjusted: text(luck.adjusted),
          low: text(luck.low),
          high: text(luck.high),
        })}
      </p>
      {luck.words && <p>{luck.words}</p>}
      <p class="muted small">{look("luck-about")}</p>
    </section>
  );
}

export function Bots({ state, mine, isDealt }: { state: ReviewState; mine: number | null; isDealt: boolean }) {
  const { bots } = state;
  if (!bots) return null;
  const text = (value: number) => valueText(value, "score");
  const facts = { spec: bots.spec, mean: text(bots.mean), low: text(bots.low), high: text(bots.high) };
  const isOne = new Set(bots.scores).size < 2; // one game, or bots that always play alike
  return (
    <section class="panel" aria-labelledby="bots" data-testid="bots">
      <h2 id="bots">{look(isDealt ? "bots" : "bots-start")}</h2>
      <p>
        {look(isOne ? "bots-one" : "bots-line", facts)}{" "}
        {mine !== null && look("bots-mine", { mine: scoreText(mine) })}
      </p>
      {!isOne && (
        <p class="muted small">{look("bots-scores", { scores: bots.scores.map(scoreText).join(" · ") })}</p>
      )}
    </section>
  );
}

export function Tools({ table, position }: { table: TableInfo; position: string }) {
  const [error, setError] = useState("");
  const isKept = table.daily === null || table.fairness.seed !== null; // others may still play it
  const anew = () =>
    void again(table.id, table.secrets).then(
      (made) => go(`/t/${made.id}`),
      (refusal: Error) => setError(say("went-wrong", { why: refusal.message })),
    );
  return (
    <section class="panel" aria-labelledby="tools">
      <h2 id="tools">{look("more")}</h2>
      <div class="review-tools">
        <button class="button" data-testid="same-deal" onClick={anew}>{look(table.secrets ? "same-deal" : "same-start")}</button>
        {isKept ? (
          <a class="button" href={recordOf(table.id)} download={recordName(table)}>{look("download")}</a>
        ) : (
          <p class="muted small">{look("download-later")}</p>
        )}
        {position && (
          <Copy
            text={location.origin + positionLink(position)}
            label={look("share")}
            done={look("copied")}
            byHand={look("copy-by-hand")}
          />
        )}
        <a class="button quiet" href={`/t/${table.id}`}>{look("back-to-table")}</a>
      </div>
      {error && <p class="error" role="alert">{error}</p>}
      <Check table={table} />
    </section>
  );
}
