// People against each level, with intervals: a small plot and a table for each game.
import { results, RESULTS_CSV } from "../api";
import { useAnswer } from "../answer";
import { Frame } from "../frame";
import { valueText } from "../opinions";
import { grouped, scaleOfResults, type Group } from "../plots";
import { placeAt, ticksOf, type Scale } from "../scale";
import type { LevelResult } from "../wire";
import { number } from "../words";
import { tells } from "../words/pages";
import { say } from "../words/shell";
import "../style/pages.css";

export function ResultsPage() {
  const { answer, error } = useAnswer(results, []);
  return (
    <Frame title={say("results")}>
      <h1>{say("results")}</h1>
      <p class="muted page-about">{tells("results-about")}</p>
      {error && <p class="error" role="alert">{say("went-wrong", { why: error })}</p>}
      {!answer && !error && <p class="muted" role="status">{say("loading")}</p>}
      {answer?.length === 0 && <p class="panel">{tells("results-none")}</p>}
      {answer && grouped(answer).map((group) => <Game key={group.game} group={group} />)}
      {answer && answer.length > 0 && <a class="button" href={RESULTS_CSV} download="kibitz-results.csv">{tells("results-csv")}</a>}
    </Frame>
  );
}

function Game({ group }: { group: Group<LevelResult> }) {
  const scale = scaleOfResults(group.rows);
  return (
    <section class="panel results" aria-labelledby={`game-${group.game}`}>
      <h2 id={`game-${group.game}`}>{group.title} <small class="muted">{tells("unit-of", { unit: group.rows[0]!.unit })}</small></h2>
      <div class="wide-table">
        <table class="results-table">
          <thead>
            <tr>
              <th scope="col">{tells("level")}</th>
              <td class="results-legend"><Legend hasMine={group.rows.some((row) => row.mine)} /></td>
              <th scope="col">{tells("difference")}</th>
              <th scope="col">{tells("wins")}</th>
              <th scope="col">{tells("games")}</th>
              <th scope="col">{tells("yours")}</th>
            </tr>
          </thead>
          <tbody>{group.rows.map((row) => <Level key={row.level} row={row} scale={scale} />)}</tbody>
          <tfoot>
            <tr><td /><td class="results-plot"><Axis scale={scale} /></td><td colSpan={4} /></tr>
          </tfoot>
        </table>
      </div>
    </section>
  );
}

function Legend({ hasMine }: { hasMine: boolean }) {
  return (
    <>
      <span class="dot-all" aria-hidden="true" /> {tells("everybody")}
      {hasMine && <>{" "}<span class="dot-mine" aria-hidden="true" /> {tells("you")}</>}
    </>
  );
}

const signed = (value: number) => `${value > 0 ? "+" : ""}${valueText(value, "score")}`;

function Level({ row, scale }: { row: LevelResult; scale: Scale }) {
  return (
    <tr>
      <th scope="row">{row.level_title}</th>
      <td class="results-plot"><Intervals row={row} scale={scale} /></td>
      <td data-label={tells("difference")}>
        {signed(row.mean)} <small class="muted">{tells("range", { low: signed(row.low), high: signed(row.high) })}</small>
      </td>
      <td data-label={tells("wins")}>
        {valueText(row.wins, "win")}{" "}
        <small class="muted">{tells("range", { low: number(100 * row.wins_low), high: valueText(row.wins_high, "win") })}</small>
      </td>
      <td data-label={tells("games")}>{number(row.n)}</td>
      <td data-label={tells("yours")}>{row.mine ? <>{signed(row.mine.mean)} <small class="muted">{tells("games-n", { n: row.mine.n })}</small></> : "–"}</td>
    </tr>
  );
}

const percent = (share: number) => `${(100 * share).toFixed(2)}%`;

function Intervals({ row, scale }: { row: LevelResult; scale: Scale }) {
  const at = (value: number) => percent(placeAt(scale, value));
  const interval = (one: { mean: number; low: number; high: number }, y: number, kind: string) => (
    <g class={kind}>
      <line x1={at(one.low)} x2={at(one.high)} y1={y} y2={y} />
      <circle cx={at(one.mean)} cy={y} r="5" />
    </g>
  );
  return (
    <svg class="intervals" aria-hidden="true">
      <line class="intervals-zero" x1={at(0)} x2={at(0)} y1="0" y2="100%" />
      {interval(row, row.mine ? 12 : 18, "all")}
      {row.mine && interval(row.mine, 25, "mine")}
    </svg>
  );
}

function Axis({ scale }: { scale: Scale }) {
  return (
    <svg class="intervals-axis" aria-hidden="true">
      {ticksOf(scale, 5).map((value) => (
        <text x={percent(placeAt(scale, value))} y="12" text-anchor="middle">{valueText(value, "score", Number.isInteger(value) ? 0 : 1)}</text>
      ))}
    </svg>
  );
}
