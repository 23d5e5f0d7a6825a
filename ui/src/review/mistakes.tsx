// The mistakes of a game, the dearest first, as they are found.
import { valueText, type Kind } from "../opinions";
import type { ReviewDecision, ReviewState } from "../wire";
import { unitName } from "../words";
import { look } from "../words/review";
import { mistakesOf } from "./model";

/** What a decision cost, in points with their unit, or in per cent. */
export function costText(loss: number | null, kind: Kind | null, unit: string): string {
  if (kind === "score" || kind === null)
    return look("cost-score", { loss: valueText(loss, "score"), unit: unitName(unit) });
  return valueText(loss, kind);
}

interface MistakesProps {
  state: ReviewState;
  current: number | null; // move of the decision that is shown
  pick: (decision: ReviewDecision) => void;
}

export function Mistakes({ state, current, pick }: MistakesProps) {
  const mistakes = mistakesOf(state.decisions);
  return (
    <section class="panel review-mistakes" aria-labelledby="mistakes">
      <h2 id="mistakes">{look("mistakes")}</h2>
      <Progress state={state} />
      <ol class="mistakes" data-testid="mistakes">
        {mistakes.map((one) => (
          <li key={one.move}>
            <button aria-current={one.move === current ? "true" : undefined} data-move={one.move} onClick={() => pick(one)}>
              <SizeBadge size={one.size} />
              <span class="mistakes-what">
                <span>{one.played_words}</span>
                <small class="muted">{look("move", { move: one.move })}</small>
              </span>
              <b>{costText(one.loss, state.kind, state.unit)}</b>
            </button>
          </li>
        ))}
      </ol>
      {state.rule && (
        <details class="review-rule">
          <summary>{look("rule")}</summary>
          <p>{state.rule}</p>
          <p class="muted">{look("seen-by", { coach: state.coach })}</p>
        </details>
      )}
    </section>
  );
}

export function SizeBadge({ size }: { size: ReviewDecision["size"] }) {
  return size ? <span class={`size ${size}`}>{look(size)}</span> : null;
}

function Progress({ state }: { state: ReviewState }) {
  const n = mistakesOf(state.decisions).length;
  if (state.status === "failed")
    return <p class="error" role="alert">{look("failed", { why: state.why ?? "" })}</p>;
  if (state.status === "done")
    return <p class="muted" role="status">{n ? look("mistakes-n", { n }) : look("no-mistakes")}</p>;
  const words = !state.total
    ? look("queued")
    : look(state.done < state.total ? "looking" : "rest", { done: state.done, total: state.total });
  return (
    <div class="review-progress">
      <p class="muted" role="status">{words} {!n && state.done > 0 && look("none-yet")}</p>
      {state.done < state.total && <progress max={state.total} value={state.done} aria-label={words} />}
    </div>
  );
}
