// In which steps a turn is shown: the cards turn over, then each is laid, the lowest first.
import { nameOf } from "../../seats";
import type { NimmtPicture, Snapshot, TableEvent, TableInfo } from "../../wire";
import { tell } from "../../words/nimmt";
import { plainFrames, still, type Frame, type Framer } from "../props";
import { headsIn, layAll, needsRow, type Laying } from "./laying";

/** What moves in a step, beside what a picture shows. */
interface Stage {
  kind: "reveal" | "lay" | "take" | "round-end";
  laying: Laying | null;
  flight: number; // ms
}

/** A picture with what the page knows of the way to it. */
export interface Shown extends NimmtPicture {
  stage?: Stage;
  layings?: Laying[]; // of the last turn
}

export interface Turn {
  cards: number[]; // by seat
  row: number | null; // that somebody below all rows chose
  ended: NimmtPicture | null; // the table after the turn, if another round followed
  events: TableEvent[];
}

const FLIGHT = 220;
const ROUND_END = 4000;
const DRAWN = 50; // ms after which a step has been on the screen

/** Finds the complete turns in what happened; `open` are the cards of a turn that waits for a row. */
export function turnsIn(
  before: NimmtPicture,
  events: TableEvent[],
): { turns: Turn[]; open: number[] | null } {
  const turns: Turn[] = [];
  let rows = before.rows;
  let cards = before.chosen.map((card) => card || 0);
  let row: number | null = null;
  let told: TableEvent[] = [];
  for (const event of events) {
    told.push(event);
    const action = event.action ?? "";
    if (event.seat !== null && /^\d+$/.test(action)) cards[event.seat] = Number(action);
    if (/^row \d$/.test(action)) row = Number(action.slice(4)) - 1;
    if (cards.includes(0)) continue;
    if (row === null && before.free_rows && needsRow(rows, cards)) continue;
    const ended = event.ended?.game === "nimmt" ? event.ended : null;
    turns.push({ cards, row, ended, events: told });
    rows = layAll(rows, cards, row).rows;
    cards = cards.map(() => 0);
    row = null;
    told = [];
    if (ended) break; // what lies on the table then is not known from events
  }
  return { turns, open: cards.includes(0) ? null : cards };
}

export const nimmtFrames: Framer = (before, after, beat) => {
  const from = before?.picture;
  const to = after.picture;
  if (!from || from.game !== "nimmt" || to.game !== "nimmt" || !["choose", "take"].includes(from.phase))
    return plainFrames(before, after, beat);
  const known = before.last_event;
  const { turns, open } = turnsIn(from, after.events.filter((event) => event.number > known));
  const maker = new Maker(after, from, beat);
  for (const turn of turns) maker.turn(turn);
  if (!maker.leadsTo(to)) return plainFrames(before, after, beat);
  if (open && from.phase === "choose") maker.reveal(open, []);
  return [...(beat > 0 ? maker.frames : []), maker.last()];
};

/** Makes the steps of turns one after the other, from a picture that follows them. */
class Maker {
  readonly frames: Frame[] = [];
  private layings: Laying[] | undefined;
  private isRevealed: boolean;
  private isRoundOver = false;

  constructor(
    private readonly after: Snapshot,
    private now: NimmtPicture,
    private readonly beat: number,
  ) {
    this.isRevealed = now.phase === "take";
  }

  turn({ cards, row, ended, events }: Turn): void {
    if (!this.isRevealed) this.reveal(cards, events.slice(0, -1));
    this.isRevealed = false;
    const { layings } = layAll(this.now.rows, cards, row);
    this.layings = layings;
    for (const laying of layings) this.lay(laying);
    this.now = { ...this.now, chosen: cards.map(() => null), last: cards, turn: this.now.turn + 1 };
    if (!ended) return;
    this.isRoundOver = true;
    this.now = { ...ended, layings } as Shown;
    this.add("round-end", null, ROUND_END, tell("round-over", { round: ended.round }), events);
  }

  reveal(cards: number[], events: TableEvent[]): void {
    const without = (hand: number[]) => hand.filter((card) => !cards.includes(card));
    this.now = {
      ...this.now,
      phase: "choose",
      chosen: cards,
      hand: without(this.now.hand),
      hands: this.now.hands.map((hand) => hand && without(hand)),
    };
    this.add("reveal", null, 1.2 * this.beat, tell("revealed"), events);
  }

  /** Lays a card; a sixth one lies in its place for a moment before the row is taken. */
  private lay(laying: Laying): void {
    const { seat, card, row, taken, isSixth } = laying;
    const { table } = this.after;
    const behind = this.now.rows[row]!;
    const chosen = this.now.chosen.map((one, i) => (i === seat ? null : one));
    this.now = { ...this.now, chosen, seen: [...this.now.seen, card] };
    if (!taken.length || isSixth) {
      this.put(row, [...behind, card]);
      const hold = (isSixth ? 0.8 : 0.55) * this.beat;
      this.add("lay", laying, hold, laidWords(laying, table));
    }
    if (!taken.length) return;
    this.put(row, [card]);
    const heads = this.now.taken.map((n, i) => (i === seat ? n + headsIn(taken) : n));
    this.now = { ...this.now, taken: heads };
    this.add("take", laying, 1.5 * this.beat, takenWords(laying, table));
  }

  private put(row: number, cards: number[]): void {
    const rows = this.now.rows.map((old, i) => (i === row ? cards : old));
    this.now = { ...this.now, rows, row_heads: rows.map(headsIn) };
  }

  private add(kind: Stage["kind"], laying: Laying | null, wanted: number, prompt: string, events: TableEvent[] = []): void {
    const hold = Math.max(wanted, kind === "round-end" ? ROUND_END : 120);
    const stage: Stage = { kind, laying, flight: Math.min(FLIGHT, hold) };
    const shown: Shown = { ...this.now, stage };
    const snapshot = { ...still(this.after, shown, prompt), events, waiting: [] };
    this.frames.push({ snapshot, hold });
  }

  /** Whether the turns end at a picture: they do not if something was missed. */
  leadsTo(to: NimmtPicture): boolean {
    return this.isRoundOver || JSON.stringify(this.now.rows) === JSON.stringify(to.rows);
  }

  last(): Frame {
    const picture: Shown = { ...(this.after.picture as NimmtPicture), ...(this.layings ? { layings: this.layings } : {}) };
    const isMine = this.after.decision !== null;
    const hold = isMine ? DRAWN : Math.max(this.beat, DRAWN);
    return { snapshot: { ...this.after, picture }, hold: this.layings ? hold : 0 };
  }
}

function laidWords({ seat, card, row }: Laying, table: TableInfo): string {
  return seat === table.you
    ? tell("you-lay", { card, row: row + 1 })
    : tell("lays", { name: nameOf(table, seat), card, row: row + 1 });
}

/** "You take row 3: 9 heads" or the same of somebody else. */
export function takenWords({ seat, row, taken }: Laying, table: TableInfo): string {
  const facts = { name: nameOf(table, seat), row: row + 1, n: headsIn(taken) };
  return tell(seat === table.you ? "you-take" : "takes", facts);
}
