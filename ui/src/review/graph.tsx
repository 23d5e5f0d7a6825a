// What was to be expected, over the moves of a game; a dot for each mistake.
import { valueText } from "../opinions";
import type { ReviewDecision, ReviewState } from "../wire";
import { look } from "../words/review";
import { costText } from "./mistakes";
import { graphOf, type GraphDot } from "./model";

interface GraphProps {
  decisions: ReviewDecision[];
  lastMove: number;
  now: number; // the move that is shown
  state: ReviewState;
  pick: (decision: ReviewDecision) => void;
  goTo: (move: number) => void;
}

const percent = (share: number) => `${(100 * share).toFixed(2)}%`;

export function GraphBox(props: GraphProps) {
  return (
    <section class="panel review-graph" aria-labelledby="graph">
      <h2 id="graph">{look("graph")}</h2>
      <Graph {...props} />
      <p class="muted small">{look("graph-about")}</p>
    </section>
  );
}

function Graph({ decisions, lastMove, now, state, pick, goTo }: GraphProps) {
  const kind = state.kind ?? "score";
  const result = kind === "score" ? (state.luck?.result ?? null) : null;
  const graph = graphOf(decisions, lastMove, kind !== "score", result);
  if (!graph) return <p class="muted">{look("graph-none")}</p>;
  const click = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    goTo(Math.round(((event.clientX - box.left) / box.width) * lastMove));
  };
  return (
    <svg class="graph" role="group" aria-label={look("graph")} onClick={click} data-testid="graph">
      <rect class="graph-back" width="100%" height="100%" />
      {graph.ticks.map(({ at, value }) => (
        <>
          <line class={`graph-grid ${value === 0 ? "is-zero" : ""}`} x1="0" x2="100%" y1={percent(at)} y2={percent(at)} />
          <text class="graph-tick" x="-6" y={percent(at)} dy="0.35em" text-anchor="end">
            {valueText(value, kind, Number.isInteger(value) ? 0 : undefined)}
          </text>
        </>
      ))}
      {graph.line.slice(1).map((point, i) => (
        <line class="graph-line" x1={percent(graph.line[i]!.x)} y1={percent(graph.line[i]!.y)} x2={percent(point.x)} y2={percent(point.y)} />
      ))}
      <line class="graph-now" x1={percent(now / (lastMove || 1))} x2={percent(now / (lastMove || 1))} y1="0" y2="100%" />
      {graph.dots.map((dot) => <Dot key={dot.decision.move} dot={dot} cost={costText(dot.decision.loss, kind, state.unit)} pick={pick} />)}
    </svg>
  );
}

function Dot(props: { dot: GraphDot; cost: string; pick: (decision: ReviewDecision) => void }) {
  const { dot: { x, y, radius, decision }, cost, pick } = props;
  const words = look("dot", { move: decision.move, size: look(decision.size || "slip"), loss: cost });
  return (
    <g
      class={`graph-dot ${decision.size}`}
      role="button"
      tabIndex={0}
      aria-label={words}
      onClick={(event) => {
        event.stopPropagation();
        pick(decision);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        pick(decision);
      }}
    >
      <title>{words}</title>
      <circle cx={percent(x)} cy={percent(y)} r={Math.max(radius, 12)} fill="transparent" />
      <circle class="graph-mark" cx={percent(x)} cy={percent(y)} r={radius} />
    </g>
  );
}
