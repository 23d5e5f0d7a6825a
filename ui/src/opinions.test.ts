import { test } from "node:test";
import { deepEqual, equal, ok } from "node:assert/strict";
import { barsOf, valueText, valueWithError } from "./opinions";
import type { Opinion } from "./wire";

const opinion = (text: string, value: number | null, error: number | null = null): Opinion => ({
  text, value, error, visits: null, share: null, wins: null, win_error: null, verdict: null, merits: [],
});

test("values below zero lie right of worse ones", () => {
  const { bars, zero } = barsOf([opinion("8", -7, 0.2), opinion("9", -9, 0.2)], "score");
  equal(zero, null);
  ok(bars[0]!.to > bars[1]!.to && bars[1]!.to > 0);
});

test("bars grow from zero where zero is in sight", () => {
  const { bars, zero } = barsOf([opinion("a", 3), opinion("b", -3)], "score");
  equal(bars[0]!.from, zero);
  equal(bars[1]!.to, zero);
});

test("win shares fill the width from 0 to 100 %", () => {
  const { bars } = barsOf([opinion("4", 0.75, 0.05)], "win");
  deepEqual([bars[0]!.from, bars[0]!.to], [0, 0.75]);
  ok(Math.abs(bars[0]!.whisker![0] - 0.65) < 1e-9);
});

test("an action without a value has no bar", () => {
  const { bars, scale } = barsOf([opinion("pick", null), opinion("pass", Number.NaN)], "score");
  equal(scale, null);
  deepEqual(bars.map((bar) => [bar.from, bar.to, bar.whisker]), [[0, 0, null], [0, 0, null]]);
});

test("the best dozen is shown, and what was played", () => {
  const many = Array.from({ length: 60 }, (_, i) => opinion(`${i}`, -i));
  const { bars, n } = barsOf(many, "score", false, "40");
  deepEqual([bars.length, bars.at(-1)!.place, n], [13, 40, 60]);
  equal(barsOf(many, "score", true).bars.length, 60);
});

test("numbers are written for people", () => {
  equal(valueText(-0.01, "score"), "0.0");
  equal(valueText(-12.34, "score"), "−12.3");
  equal(valueText(0.634, "win"), "63 %");
  equal(valueText(null, "score"), "–");
  equal(valueWithError({ value: 0.634, error: 0.01 }, "win"), "63 ± 2 %");
});

test("an error is never written as 0", () => {
  equal(valueWithError({ value: -9.42, error: 0.012 }, "score"), "−9.42 ± 0.02");
  equal(valueWithError({ value: 0.551, error: 0.0012 }, "win"), "55.1 ± 0.2 %");
  equal(valueWithError({ value: -9.42, error: 0.12 }, "score"), "−9.4 ± 0.2");
});
