// Where the marks of small plots lie: intervals side by side, and counts in their bands.
import { placeAt, scaleOf, type Scale } from "./scale";
import type { DealStatistics, LevelResult } from "./wire";

export interface Group<Row> {
  game: string;
  title: string;
  rows: Row[];
}

/** Puts rows of the same game together, in the order in which games first appear. */
export function grouped<Row extends { game: string; title: string }>(rows: Row[]): Group<Row>[] {
  const groups = new Map<string, Group<Row>>();
  for (const row of rows) {
    const { game, title } = row;
    if (!groups.has(game)) groups.set(game, { game, title, rows: [] });
    groups.get(game)!.rows.push(row);
  }
  return [...groups.values()];
}

/** A scale for the intervals of all levels of a game; zero is always on it. */
export function scaleOfResults(rows: LevelResult[]): Scale {
  const ends = rows.flatMap((row) => [row.low, row.high, ...(row.mine ? [row.mine.low, row.mine.high] : [])]);
  return scaleOf([0, ...ends], 0.08);
}

interface Band {
  low: number; // shares of the width
  high: number;
  expected: number;
  seen: number;
  isInside: boolean;
}

/** Where a count lies: the band fills the middle half, unless what was seen is far outside. */
export function bandOf(row: DealStatistics["rows"][number]): Band {
  const width = row.high - row.low || 1;
  const scale = scaleOf([row.low - width / 2, row.high + width / 2, row.seen], 0.02);
  return {
    low: placeAt(scale, row.low),
    high: placeAt(scale, row.high),
    expected: placeAt(scale, row.expected),
    seen: placeAt(scale, row.seen),
    isInside: row.low <= row.seen && row.seen <= row.high,
  };
}

/** Digits after the point that tell the ends of a band apart. */
export function digitsFor(low: number, high: number): number {
  const width = Math.abs(high - low);
  if (!(width > 0)) return 2;
  return Math.min(5, Math.max(0, Math.ceil(-Math.log10(width)) + 1));
}
