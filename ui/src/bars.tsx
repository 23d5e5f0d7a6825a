// One bar for each action, the best first: in the coach, in a review, below a position.
import { useState } from "preact/hooks";
import { barsOf, isNumber, labelOf, opinionText, sentence, valueText, valueWithError, winBar, FEW, type Bar, type Bars, type Kind } from "./opinions";
import type { Choice, HintMessage } from "./wire";
import { number } from "./words";
import { coachSays } from "./words/coach";
import "./style/coach.css";

interface BarsProps {
  hint: HintMessage;
  choices: Choice[]; // for the words of actions
  unit: string;
  played?: string; // is marked
  play?: (action: string) => void;
}

export function OpinionBars({ hint, choices, unit, played = "", play }: BarsProps) {
  const [isAll, setAll] = useState(false);
  const [open, setOpen] = useState<string | null>(null); // null: the best one
  const drawn = barsOf(hint.opinions, hint.kind, isAll, played);
  const opened = open ?? hint.opinions[0]?.text ?? "";
  const share = (bar: Bar) => ({
    bar, drawn, played, play, kind: hint.kind,
    label: labelOf(bar.opinion.text, choices),
    isOpen: bar.opinion.text === opened,
    toggle: () => setOpen(bar.opinion.text === opened ? "" : bar.opinion.text),
  });
  return (
    <div class="opinions" data-testid="opinions">
      <ol class="bars" aria-label={coachSays("list")}>
        {drawn.bars.map((bar) => <BarItem key={bar.opinion.text} {...share(bar)} />)}
      </ol>
      <Axis drawn={drawn} kind={hint.kind} />
      {drawn.n > FEW && (
        <button class="button small" onClick={() => setAll(!isAll)}>
          {isAll ? coachSays("show-few") : coachSays("show-all", { n: drawn.n })}
        </button>
      )}
      {drawn.scale === null && <p class="muted">{coachSays("no-values")}</p>}
      <OpinionTable hint={hint} choices={choices} />
      <Note hint={hint} unit={unit} hasValues={drawn.scale !== null} />
    </div>
  );
}

interface ItemProps {
  bar: Bar;
  drawn: Bars;
  kind: Kind;
  label: string;
  played: string;
  isOpen: boolean;
  toggle: () => void;
  play: ((action: string) => void) | undefined;
}

function BarItem({ bar, drawn, kind, label, played, isOpen, toggle, play }: ItemProps) {
  const { opinion } = bar;
  const wins = { value: opinion.wins, error: opinion.win_error };
  const isPlayed = opinion.text === played;
  const state = `${bar.place === 0 ? "is-best" : ""} ${isPlayed ? "is-played" : ""}`;
  return (
    <li class={`bar ${state}`} data-action={opinion.text}>
      <button class="bar-head" aria-expanded={isOpen} title={coachSays("why")} onClick={toggle}>
        <span class="bar-line">
          <span class="bar-label">{label}</span>
          {bar.place === 0 && <span class="badge bar-best">{coachSays("best")}</span>}
          {isPlayed && <span class="badge bar-played">{coachSays("yours")}</span>}
          <span class="bar-value">
            {opinion.value === null ? drawn.scale && coachSays("no-value") : opinionText(opinion, kind)}
          </span>
        </span>
        {drawn.scale && <Track bar={bar} zero={drawn.zero} />}
        {isNumber(opinion.wins) && (
          <span class="bar-wins">
            <Track bar={{ ...bar, ...winBar(wins) }} zero={null} />
            <span class="bar-value">{coachSays("wins-of", { n: valueWithError(wins, "win") })}</span>
          </span>
        )}
      </button>
      {isOpen && <Why bar={bar} play={play} />}
    </li>
  );
}

const percent = (share: number) => `${100 * share}%`;

function Track({ bar, zero }: { bar: Bar; zero: number | null }) {
  const { from, to, whisker } = bar;
  return (
    <svg class="bar-track" aria-hidden="true">
      <rect class="bar-fill" x={percent(from)} y="3" width={percent(Math.max(to - from, 0.004))} height="8" rx="2" />
      {zero !== null && <line class="bar-zero" x1={percent(zero)} x2={percent(zero)} y1="0" y2="14" />}
      {whisker && (
        <g class="bar-whisker">
          <line x1={percent(whisker[0])} x2={percent(whisker[1])} y1="7" y2="7" />
          {whisker.map((end) => <line x1={percent(end)} x2={percent(end)} y1="4" y2="10" />)}
        </g>
      )}
    </svg>
  );
}

function Why({ bar: { opinion }, play }: { bar: Bar; play: ((action: string) => void) | undefined }) {
  const { merits, share, visits, value } = opinion;
  return (
    <div class="bar-why">
      {merits.length ? merits.map((merit) => <p>{merit}</p>) : <p class="muted">{coachSays("why-not")}</p>}
      {visits !== null && <p class="muted">{coachSays("done-n", { n: number(visits) })}</p>}
      {!isNumber(value) && isNumber(share) && <p class="muted">{coachSays("share", { n: number(100 * share) })}</p>}
      {play && (
        <button class="button small primary" onClick={() => play(opinion.text)}>{coachSays("play-it")}</button>
      )}
    </div>
  );
}

function Axis({ drawn, kind }: { drawn: Bars; kind: Kind }) {
  if (!drawn.ticks.length) return null;
  return (
    <svg class="bar-axis" aria-hidden="true">
      {drawn.ticks.map(({ at, value }) => (
        <>
          <line x1={percent(at)} x2={percent(at)} y1="0" y2="4" />
          <text x={percent(at)} y="16" text-anchor={at < 0.08 ? "start" : at > 0.92 ? "end" : "middle"}>
            {valueText(value, kind, Number.isInteger(value) ? 0 : undefined)}
          </text>
        </>
      ))}
    </svg>
  );
}

function OpinionTable({ hint, choices }: { hint: HintMessage; choices: Choice[] }) {
  return (
    <details class="bar-table">
      <summary>{coachSays("as-table")}</summary>
      <table class="scores">
        <thead>
          <tr>
            <th scope="col">{coachSays("action")}</th>
            <th scope="col" class="right">{coachSays("value")}</th>
            {hint.wins !== null && <th scope="col" class="right">{coachSays("wins")}</th>}
            <th scope="col" class="right">{coachSays("sims")}</th>
          </tr>
        </thead>
        <tbody>
          {hint.opinions.map((one) => (
            <tr>
              <th scope="row">{labelOf(one.text, choices)}</th>
              <td>{opinionText(one, hint.kind)}</td>
              {hint.wins !== null && <td>{valueWithError({ value: one.wins, error: one.win_error }, "win")}</td>}
              <td>{one.visits === null ? "–" : number(one.visits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const isExact = (hint: HintMessage) => hint.opinions.every((one) => one.verdict !== null);

const meaning = (hint: HintMessage, unit: string) =>
  `${coachSays(`unit-${hint.kind}`, { unit })} ${coachSays("unit-whisker")}`;

function Note(props: { hint: HintMessage; unit: string; hasValues: boolean }) {
  const { hint, unit } = props;
  return (
    <p class="bar-note muted">
      {props.hasValues && `${isExact(hint) ? coachSays("exact") : meaning(hint, unit)} `}
      {hint.wins !== null && `${sentence(hint.wins)} `}
      {coachSays("by", { coach: hint.coach.split(":")[0]! })}
    </p>
  );
}
