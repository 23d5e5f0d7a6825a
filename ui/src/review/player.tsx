// The replay: the game's own table, a line that says what happened, and the controls.
import { useEffect, useRef } from "preact/hooks";
import { FirstIcon, LastIcon, NextIcon, PreviousIcon } from "../icons";
import { nameOf, withNames } from "../seats";
import type { ReplayStep, TableInfo } from "../wire";
import { look } from "../words/review";
import { Board } from "./board";

interface PlayerProps {
  table: TableInfo;
  steps: ReplayStep[];
  index: number;
  move: (to: number) => void;
  jump: (direction: 1 | -1) => (() => void) | undefined;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  choose: ((action: string) => void) | undefined; // somebody tries a decision again
  told: string; // what came of the last try
}

export function Player(props: PlayerProps) {
  const { table, steps, index, isOpen, choose, told } = props;
  const step = steps[index]!;
  const felt = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (choose) felt.current?.scrollIntoView({ block: "nearest" });
  }, [Boolean(choose)]);
  return (
    <section class="review-player" aria-label={look("replay")}>
      {table.secrets && <Eyes isOpen={isOpen} setOpen={props.setOpen} />}
      <p class={`room-prompt ${choose ? "is-yours" : ""}`} role="status" data-testid="step">
        {choose ? <span>{told || look("trying")}</span> : <span><StepWords step={step} table={table} /></span>}
      </p>
      <div ref={felt} class={`review-felt room-felt ${choose ? "" : "is-still"}`} data-testid="table">
        <Board table={table} picture={step.picture} choices={step.choices} choose={choose} prompt={choose ? look("trying") : ""} />
      </div>
      <Controls {...props} />
    </section>
  );
}

function StepWords({ step, table }: { step: ReplayStep; table: TableInfo }) {
  if (step.seat === null) return <>{look(table.secrets ? "deal" : "start")}</>;
  const told = step.told.length ? step.told : [{ seat: step.seat, words: look("chose") }];
  return (
    <>
      {told.map(({ seat, words }, i) => (
        <>{i > 0 && " · "}{seat !== null && <b>{nameOf(table, seat)} </b>}{withNames(words, table)}</>
      ))}
    </>
  );
}

function Eyes(props: { isOpen: boolean; setOpen: (isOpen: boolean) => void }) {
  const { isOpen, setOpen } = props;
  const option = (value: boolean, words: string) => (
    <label>
      <input type="radio" name="eyes" checked={isOpen === value} onChange={() => setOpen(value)} />
      <span>{words}</span>
    </label>
  );
  return (
    <fieldset class="choose review-eyes">
      <legend class="hidden-label">{look("view")}</legend>
      <div class="choose-options">
        {option(false, look("view-seat"))}
        {option(true, look("view-open"))}
      </div>
      <p class={`small ${isOpen ? "review-warning" : "muted"}`}>{look(isOpen ? "view-open-about" : "view-seat-about")}</p>
    </fieldset>
  );
}

function Controls({ steps, index, move, jump }: PlayerProps) {
  const last = steps.length - 1;
  const button = (words: string, to: number, drawing: preact.ComponentChildren) => (
    <button class="button quiet small" title={words} aria-label={words} disabled={to < 0 || to > last || to === index} onClick={() => move(to)}>
      {drawing}
    </button>
  );
  const [before, after] = [jump(-1), jump(1)];
  return (
    <div class="review-controls">
      {button(look("first"), 0, <FirstIcon />)}
      {button(look("previous"), index - 1, <PreviousIcon />)}
      <input
        type="range" min="0" max={last} value={index}
        aria-label={look("slider")} aria-valuetext={look("step", { i: index, n: last })}
        onInput={(event) => move(Number(event.currentTarget.value))}
      />
      {button(look("next"), index + 1, <NextIcon />)}
      {button(look("last"), last, <LastIcon />)}
      <div class="review-jumps">
        <button class="button small" disabled={!before} onClick={before}>{look("previous-mistake")}</button>
        <span class="muted small" aria-hidden="true">{index} / {last}</span>
        <button class="button small" data-testid="next-mistake" disabled={!after} onClick={after}>{look("next-mistake")}</button>
      </div>
    </div>
  );
}
