// What was dealt at all tables beside what chance would deal, and how a deal is checked.
import { fairness } from "../api";
import { useAnswer } from "../answer";
import { checkCommand } from "../fair";
import { Frame } from "../frame";
import { bandOf, digitsFor } from "../plots";
import type { DealStatistics } from "../wire";
import { number } from "../words";
import { tells } from "../words/pages";
import { say } from "../words/shell";
import "../style/pages.css";

const EXAMPLE = checkCommand({
  id: "TABLE",
  fairness: { commitment: "FINGERPRINT", seed: "SEED", salt: "SALT" },
});

export function FairnessPage() {
  const { answer, error } = useAnswer(fairness, []);
  const counted = answer?.filter((one) => one.n && one.rows.length) ?? []; // not every game has cards
  return (
    <Frame title={say("fairness")}>
      <h1>{say("fairness")}</h1>
      <p class="muted page-about">{tells("fair-about")}</p>
      {error && <p class="error" role="alert">{say("went-wrong", { why: error })}</p>}
      {!answer && !error && <p class="muted" role="status">{say("loading")}</p>}
      {answer && !counted.length && <p class="panel">{tells("fair-none")}</p>}
      {counted.map((one) => <Game key={one.game} statistics={one} />)}
      <section class="panel fair-how" aria-labelledby="how">
        <h2 id="how">{tells("fair-how")}</h2>
        <ol>
          <li>{tells("fair-how-1")}</li>
          <li>{tells("fair-how-2")}</li>
          <li>{tells("fair-how-3")}</li>
        </ol>
        <p>{tells("fair-command")}</p>
        <pre tabIndex={0}><code>{EXAMPLE}</code></pre>
      </section>
    </Frame>
  );
}

function Game({ statistics }: { statistics: DealStatistics }) {
  const isAllInside = statistics.rows.every((row) => bandOf(row).isInside);
  return (
    <section class="panel results" aria-labelledby={`fair-${statistics.game}`}>
      <h2 id={`fair-${statistics.game}`}>
        {statistics.title} <small class="muted">{tells("deals-n", { n: statistics.n }).replace(String(statistics.n), number(statistics.n))}</small>
      </h2>
      <div class="wide-table">
        <table class="results-table">
          <thead>
            <tr>
              <th scope="col">{tells("what")}</th>
              <td />
              <th scope="col">{tells("expected")}</th>
              <th scope="col">{tells("seen")}</th>
              <th scope="col">{tells("band")}</th>
            </tr>
          </thead>
          <tbody>{statistics.rows.map((row) => <Row key={row.words} row={row} />)}</tbody>
        </table>
      </div>
      <p class="muted small">{tells("fair-plot")} {!isAllInside && tells("outside-about")}</p>
    </section>
  );
}

const percent = (share: number) => `${(100 * share).toFixed(2)}%`;

function Row({ row }: { row: DealStatistics["rows"][number] }) {
  const band = bandOf(row);
  const digits = digitsFor(row.low, row.high);
  return (
    <tr>
      <th scope="row">{row.words}</th>
      <td class="results-plot">
        <svg class="band" aria-hidden="true">
          <rect x={percent(band.low)} width={percent(band.high - band.low)} y="4" height="16" rx="3" />
          <line class="band-expected" x1={percent(band.expected)} x2={percent(band.expected)} y1="4" y2="20" />
          <line class={`band-seen ${band.isInside ? "" : "is-outside"}`} x1={percent(band.seen)} x2={percent(band.seen)} y1="0" y2="24" />
        </svg>
      </td>
      <td data-label={tells("expected")}>{number(row.expected, digits)}</td>
      <td data-label={tells("seen")}>{number(row.seen, digits)} <small class={band.isInside ? "muted" : "error"}>{tells(band.isInside ? "inside" : "outside")}</small></td>
      <td data-label={tells("band")}>{tells("range", { low: number(row.low, digits), high: number(row.high, digits) })}</td>
    </tr>
  );
}
