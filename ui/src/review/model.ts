// A game that is looked back at: which step shows which decision, and what the graph draws.
import { isNumber } from "../opinions";
import { placeAt, scaleOf, ticksOf, type Scale } from "../scale";
import type { Choice, Opinion, Picture, ReplayStep, ReviewDecision, Seat, Snapshot, TableInfo } from "../wire";
import { look } from "../words/review";

/** The mistakes, the dearest first. */
export function mistakesOf(decisions: ReviewDecision[]): ReviewDecision[] {
  return decisions.filter((one) => one.size).toSorted((a, b) => (b.loss ?? 0) - (a.loss ?? 0));
}

/** The steps in which something is told or can be chosen: what is done face down shows nothing. */
export function worthSeeing(steps: ReplayStep[]): ReplayStep[] {
  return steps.filter(
    (step, i) => i === 0 || i === steps.length - 1 || step.told.length > 0 || step.choices.length > 0,
  );
}

/** The step that shows the position in which an action was chosen. */
export function stepBefore(steps: ReplayStep[], move: number): number {
  return Math.max(0, steps.findLastIndex((step) => step.move < move));
}

/** The decision that the seat made in the position of a step, if it made one there. */
export function decisionAt(
  steps: ReplayStep[],
  decisions: ReviewDecision[],
  index: number,
): ReviewDecision | null {
  return decisions.find((one) => stepBefore(steps, one.move) === index) ?? null;
}

/** The nearest mistake before or after a step; null if there is none. */
export function neighbour(
  steps: ReplayStep[],
  decisions: ReviewDecision[],
  index: number,
  direction: 1 | -1,
): ReviewDecision | null {
  const beyond = decisions
    .filter((one) => one.size && (stepBefore(steps, one.move) - index) * direction > 0)
    .toSorted((a, b) => direction * (a.move - b.move));
  return beyond[0] ?? null;
}

export interface GraphDot {
  x: number; // shares of width and height, from the left and from the top
  y: number;
  radius: number;
  decision: ReviewDecision;
}

export interface Graph {
  scale: Scale;
  ticks: { at: number; value: number }[];
  line: { x: number; y: number }[]; // what was expected before each decision
  dots: GraphDot[]; // the mistakes, at what was expected after them
}

const SMALLEST = 5;
const LARGEST = 11;

/** The graph of what was expected, up to the result; null without two values. */
export function graphOf(
  decisions: ReviewDecision[],
  lastMove: number,
  isShare: boolean,
  result: number | null = null,
): Graph | null {
  const known = decisions.filter((one) => isNumber(one.value)).toSorted((a, b) => a.move - b.move);
  if (known.length < 2) return null;
  const seen = known.flatMap((one) => [one.value!, one.played_value ?? one.value!]);
  const end = result === null ? [] : [result];
  const scale = isShare ? { low: 0, high: 1 } : scaleOf([...seen, ...end], 0.1);
  const x = (move: number) => (lastMove ? move / lastMove : 0);
  const y = (value: number) => 1 - placeAt(scale, value);
  const dearest = Math.max(...known.map((one) => one.loss ?? 0));
  const radius = (loss: number) => SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(loss / (dearest || 1));
  return {
    scale,
    ticks: ticksOf(scale, 4).map((value) => ({ at: y(value), value })),
    line: [
      ...known.map((one) => ({ x: x(one.move), y: y(one.value!) })),
      ...end.map((value) => ({ x: 1, y: y(value) })),
    ],
    dots: known.filter((one) => one.size).map((decision) => ({
      x: x(decision.move),
      y: y(decision.played_value ?? decision.value!),
      radius: radius(decision.loss ?? 0),
      decision,
    })),
  };
}

/** What a table needs in order to show a position outside of a game that runs. */
export function stillOf(
  table: TableInfo,
  picture: Picture,
  choices: Choice[] = [],
  prompt = "",
): Snapshot {
  return {
    is: "table",
    table: seated(table, picture),
    picture,
    decision: choices.length ? 1 : null,
    choices,
    extra: [],
    claim: false,
    prompt,
    waiting: [],
    scores: Array.from({ length: seatsIn(picture) }, () => 0),
    events: [],
    last_event: 0,
  };
}

/** How many seats a picture has. */
function seatsIn(picture: Picture): number {
  if (picture.game === "connect4") return 2;
  return "hands" in picture ? picture.hands.length : 0;
}

/** Players as they sat there, whoever is away now; without a table, players without names. */
function seated(table: TableInfo, picture: Picture): TableInfo {
  if (table.seats.length)
    return { ...table, seats: table.seats.map((seat) => ({ ...seat, online: true, covered: false })) };
  const seats = Array.from({ length: seatsIn(picture) }, (_, i): Seat => ({
    name: look("seat-n", { n: i + 1 }), kind: "person", level: null, online: true, covered: false, you: i === table.you,
  }));
  return { ...table, seats };
}

const sorted = (text: string) => text.trim().split(/\s+/).toSorted().join(" ").toLowerCase();

/** Finds the choice that a typed action means: the same words, in any order. */
export function choiceFor(choices: Choice[], text: string): Choice | null {
  return (
    choices.find((choice) => choice.text === text) ??
    choices.find((choice) => sorted(choice.text) === sorted(text)) ??
    null
  );
}

export function positionLink(position: string): string {
  return `/position?at=${encodeURIComponent(position)}`;
}

/** How much better the best action is than another; null if the coach does not know. */
export function lossOf(opinions: Opinion[], text: string): number | null {
  const best = opinions[0]?.value ?? null;
  const value = opinions.find((one) => one.text === text)?.value ?? null;
  return isNumber(best) && isNumber(value) ? Math.max(0, best - value) : null;
}
