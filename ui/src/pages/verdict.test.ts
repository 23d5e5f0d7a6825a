import { test } from "node:test";
import { equal } from "node:assert/strict";
import { placeOf, verdictOf } from "./verdict";
import type { TableInfo } from "../wire";

const table = (name: string, n: number, you: number) =>
  ({ name, you, seats: Array.from({ length: n }, (_, i) => ({ name: "ABCDE"[i] })) }) as TableInfo;

test("partners win together", () => {
  equal(verdictOf(table("tichu", 4, 2), [100, -100, 100, -100]), "You win");
  equal(verdictOf(table("tichu", 4, 1), [100, -100, 100, -100]), "You lose");
});

test("among many, places count", () => {
  equal(verdictOf(table("nimmt", 4, 0), [-14, -27, 0, -2]), "You are number 3 of 4");
  equal(verdictOf(table("nimmt", 3, 0), [-5, -5, -9]), "You share the first place");
});

test("spectators read names", () => {
  equal(verdictOf(table("nimmt", 3, -1), [-5, -5, -9]), "A, B win");
});

test("equal scores are a draw", () => {
  equal(verdictOf(table("connect4", 2, 0), [0, 0]), "A draw");
  equal(placeOf([3, 5, 5], 0), 3);
});
