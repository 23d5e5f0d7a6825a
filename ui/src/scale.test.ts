import { test } from "node:test";
import { deepEqual, equal, ok } from "node:assert/strict";
import { placeAt, scaleOf, ticksOf } from "./scale";

test("a scale has air on both sides of its values", () => {
  const scale = scaleOf([-10, 0], 0.1);
  deepEqual(scale, { low: -11, high: 1 });
});

test("one value alone lies in the middle", () => {
  const scale = scaleOf([-7]);
  equal(placeAt(scale, -7), 0.5);
});

test("values that are no numbers do not spoil a scale", () => {
  deepEqual(scaleOf([Number.NaN]), { low: 0, high: 1 });
});

test("ticks are round and within the scale", () => {
  deepEqual(ticksOf({ low: -13.2, high: 4.1 }), [-10, -5, 0]);
  ok(ticksOf({ low: 0, high: 1 }).length <= 5);
});
