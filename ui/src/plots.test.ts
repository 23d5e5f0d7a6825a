import { test } from "node:test";
import { deepEqual, equal, ok } from "node:assert/strict";
import { bandOf, digitsFor, grouped, scaleOfResults } from "./plots";
import type { LevelResult } from "./wire";

const row = (game: string, low: number, high: number) =>
  ({ game, title: game, low, high, mine: null }) as LevelResult;

test("rows of one game stand together", () => {
  const found = grouped([row("a", 0, 1), row("b", 0, 1), row("a", 2, 3)]);
  deepEqual(found.map((group) => [group.game, group.rows.length]), [["a", 2], ["b", 1]]);
});

test("zero is on the scale of results", () => {
  const scale = scaleOfResults([row("a", 3, 5)]);
  ok(scale.low < 0 && scale.high > 5);
});

test("a count within its band lies between its ends", () => {
  const band = bandOf({ words: "", expected: 5, seen: 5.5, low: 4, high: 6 });
  ok(band.low < band.expected && band.expected < band.seen && band.seen < band.high);
  equal(band.isInside, true);
});

test("a count far outside is still in sight", () => {
  const band = bandOf({ words: "", expected: 5, seen: 20, low: 4, high: 6 });
  ok(!band.isInside && band.seen < 1 && band.high < 0.3);
});

test("narrow bands need more digits", () => {
  deepEqual([digitsFor(16, 17), digitsFor(0.09, 0.1), digitsFor(100, 400)], [1, 3, 0]);
});
