// How the cards of a turn are laid: the lowest first, each behind the highest row end below it.

export const FULL_ROW = 5;

/** What one card did. */
export interface Laying {
  seat: number;
  card: number;
  row: number;
  taken: number[]; // the row that it took, oldest card first; empty if it took none
  isSixth: boolean; // it took the row because that was full, not because it was below all rows
}

export interface Landing {
  row: number; // -1: below all rows
  place: number; // in the row, from 0
  taken: number[];
}

/** Bull heads on a card. */
export function headsOn(card: number): number {
  if (card === 55) return 7;
  if (card % 11 === 0) return 5;
  if (card % 10 === 0) return 3;
  return card % 5 === 0 ? 2 : 1;
}

export function headsIn(cards: number[]): number {
  return cards.reduce((sum, card) => sum + headsOn(card), 0);
}

/** Where a card would lie if it were laid now. */
export function landingOf(rows: number[][], card: number): Landing {
  let row = -1;
  rows.forEach((cards, i) => {
    const end = cards.at(-1) ?? card;
    if (end < card && (row < 0 || end > rows[row]!.at(-1)!)) row = i;
  });
  const cards = rows[row] ?? [];
  const isFull = cards.length >= FULL_ROW;
  return { row, place: isFull || row < 0 ? 0 : cards.length, taken: isFull ? cards : [] };
}

/** The row with the fewest heads, the first one of several. */
export function cheapestRow(rows: number[][]): number {
  const heads = rows.map(headsIn);
  return heads.indexOf(Math.min(...heads));
}

/** Whether somebody must choose a row before anything is laid. */
export function needsRow(rows: number[][], cards: number[]): boolean {
  return landingOf(rows, Math.min(...cards)).row < 0;
}

/** Lays the cards of a turn, by seat. `chosen` is the row that the lowest card takes if it must. */
export function layAll(
  rows: number[][],
  cards: number[],
  chosen: number | null,
): { layings: Laying[]; rows: number[][] } {
  const now = rows.map((row) => [...row]);
  const order = cards.map((_, seat) => seat).sort((a, b) => cards[a]! - cards[b]!);
  const layings = order.map((seat) => {
    const card = cards[seat]!;
    const landing = landingOf(now, card);
    const isBelow = landing.row < 0;
    const row = isBelow ? (chosen ?? cheapestRow(now)) : landing.row;
    const taken = isBelow ? now[row]! : landing.taken;
    now[row] = taken.length ? [card] : [...now[row]!, card];
    return { seat, card, row, taken, isSixth: !isBelow && taken.length > 0 };
  });
  return { layings, rows: now };
}
