import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import { cheapestRow, headsIn, headsOn, landingOf, layAll, needsRow } from "./laying";

test("cards have one, two, three, five or seven heads, 171 in all", () => {
  deepEqual([1, 5, 10, 11, 55].map(headsOn), [1, 2, 3, 5, 7]);
  equal(headsIn(Array.from({ length: 104 }, (_, i) => i + 1)), 171);
});

test("a card lies behind the highest row end below it", () => {
  const rows = [[12, 20], [33], [47], [90]];
  deepEqual(landingOf(rows, 46), { row: 1, place: 1, taken: [] });
  deepEqual(landingOf(rows, 21), { row: 0, place: 2, taken: [] });
  equal(landingOf(rows, 19).row, -1);
});

test("the sixth card takes the five before it", () => {
  const full = [1, 2, 3, 4, 5];
  deepEqual(landingOf([full, [40], [50], [60]], 7), { row: 0, place: 0, taken: full });
});

test("cards are laid the lowest first, each on the rows as they are then", () => {
  const { layings, rows } = layAll([[10, 11, 12, 13], [50], [60], [70]], [15, 14, 80], null);
  deepEqual(layings.map(({ card, seat }) => [card, seat]), [[14, 1], [15, 0], [80, 2]]);
  deepEqual(layings[1]!.taken, [10, 11, 12, 13, 14]);
  equal(layings[1]!.isSixth, true);
  deepEqual(rows, [[15], [50], [60], [70, 80]]);
});

test("who is below all rows takes the row of their choice, or the cheapest one", () => {
  const rows = [[55], [20], [30, 31], [40]];
  equal(needsRow(rows, [3, 99]), true);
  equal(cheapestRow(rows), 1);
  deepEqual(layAll(rows, [3, 99], 0).rows, [[3], [20], [30, 31], [40, 99]]);
  deepEqual(layAll(rows, [3, 99], null).rows, [[55, 99], [3], [30, 31], [40]]);
});
