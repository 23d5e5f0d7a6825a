// What the coach thinks of each action, as bars and as words.
import { isWithin, placeAt, scaleOf, ticksOf, type Scale } from "./scale";
import type { Choice, HintMessage, Opinion } from "./wire";
import { number } from "./words";

export type Kind = HintMessage["kind"];

export const FEW = 12; // actions that are shown at first
const ERRORS = 2; // standard errors that a whisker reaches to each side

export interface Bar {
  opinion: Opinion;
  place: number; // from 0 for the best
  from: number; // of the bar, as a share of the width; both are 0 if there is no value
  to: number;
  whisker: [number, number] | null;
}

export interface Bars {
  bars: Bar[];
  scale: Scale | null; // null if the coach has no values
  zero: number | null; // where zero lies, if it is in sight
  ticks: { at: number; value: number }[];
  n: number; // actions, shown or not
}

export const isNumber = (value: number | null): value is number =>
  value !== null && Number.isFinite(value);

/** Returns bars for the best dozen of the actions (or all), and for `kept` in any case. */
export function barsOf(opinions: Opinion[], kind: Kind, isAll = false, kept = ""): Bars {
  const scale = scaleFor(opinions, kind);
  const zero = scale && isWithin(scale, 0) ? placeAt(scale, 0) : null;
  const shown = opinions
    .map((opinion, place) => ({ opinion, place }))
    .filter(({ opinion, place }) => isAll || place < FEW || opinion.text === kept);
  return {
    bars: shown.map(({ opinion, place }) => ({ opinion, place, ...barOf(opinion, scale, zero) })),
    scale,
    zero,
    ticks: scale ? ticksOf(scale, 3).map((value) => ({ at: placeAt(scale, value), value })) : [],
    n: opinions.length,
  };
}

function scaleFor(opinions: Opinion[], kind: Kind): Scale | null {
  const known = opinions.filter((one) => isNumber(one.value));
  if (!known.length) return null;
  if (kind !== "score") return { low: 0, high: 1 };
  return scaleOf(known.flatMap((one) => {
    const reach = ERRORS * (isNumber(one.error) ? one.error : 0);
    return [one.value! - reach, one.value! + reach];
  }));
}

function barOf({ value, error }: Pick<Opinion, "value" | "error">, scale: Scale | null, zero: number | null) {
  if (!scale || !isNumber(value)) return { from: 0, to: 0, whisker: null };
  const [from, to] = [zero ?? 0, placeAt(scale, value)].sort((a, b) => a - b) as [number, number];
  const reach = isNumber(error) ? ERRORS * error : 0;
  const whisker: [number, number] = [placeAt(scale, value - reach), placeAt(scale, value + reach)];
  return { from, to, whisker: reach ? whisker : null };
}

/** Returns the bar of a share of wins, which lies between none and all. */
export function winBar(wins: Pick<Opinion, "value" | "error">) {
  return barOf(wins, { low: 0, high: 1 }, 0);
}

/** Words as a sentence. */
export const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** A value as people read it: points, or a share in per cent. */
export function valueText(value: number | null, kind: Kind, digits?: number): string {
  if (!isNumber(value)) return "–";
  if (kind !== "score") return `${signed(100 * value, digits ?? 0)} %`;
  return signed(value, digits ?? (Math.abs(value) >= 100 ? 0 : 1));
}

/** A score as it is counted: whole where it is. */
export function scoreText(score: number): string {
  return valueText(score, "score", Number.isInteger(score) ? 0 : 1);
}

function signed(value: number, digits: number): string {
  const written = number(Math.abs(value), digits);
  return value < 0 && /[1-9]/.test(written) ? `−${written}` : written;
}

/** A value with what a whisker shows to each side, by one digit finer if that would be written as 0. */
export function valueWithError({ value, error }: Pick<Opinion, "value" | "error">, kind: Kind): string {
  if (!isNumber(value) || !isNumber(error) || error === 0) return valueText(value, kind);
  const coarse = kind === "score" && Math.abs(value) < 100 ? 1 : 0;
  const reach = ERRORS * error * (kind === "score" ? 1 : 100);
  const digits = reach < 0.5 * 10 ** -coarse ? coarse + 1 : coarse;
  const said = valueText(value, kind, digits).replace(/ %$/, "");
  return `${said} ± ${number(reach, digits)}${kind === "score" ? "" : " %"}`;
}

/** What an action is worth: what is certain of it, or a value with its error. */
export function opinionText(opinion: Opinion, kind: Kind): string {
  return opinion.verdict ?? valueWithError(opinion, kind);
}

/** How an action is named: by the words of the choice, where there is one. */
export function labelOf(text: string, choices: Choice[]): string {
  return choices.find((choice) => choice.text === text)?.words ?? text;
}
