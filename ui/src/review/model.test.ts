import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import { choiceFor, decisionAt, graphOf, mistakesOf, neighbour, stepBefore, stillOf, worthSeeing } from "./model";
import type { Choice, Picture, ReplayStep, ReviewDecision, TableInfo } from "../wire";

const step = (move: number) => ({ move }) as ReplayStep;
const decision = (move: number, loss: number, size: ReviewDecision["size"] = ""): ReviewDecision => ({
  move, seat: 0, played: "a", played_words: "a", best: "b", error: 0.1, loss, size,
  value: -5, played_value: -5 - loss,
});

const steps = [0, 1, 2, 4, 5].map(step); // what nobody saw has no step of its own
const decisions = [decision(1, 0), decision(4, 3, "blunder"), decision(5, 1, "slip")];

test("the dearest mistake comes first", () => {
  deepEqual(mistakesOf(decisions).map((one) => one.move), [4, 5]);
});

test("what is done face down is no step of its own", () => {
  const choice = [{ text: "7", kind: "card", words: "7" }];
  const all = [0, 0, 0, 2, 0, 0].map((n, move) => ({ move, told: Array(n), choices: move === 1 ? choice : [] }) as unknown as ReplayStep);
  deepEqual(worthSeeing(all).map((one) => one.move), [0, 1, 3, 5]);
});

test("a decision is shown in the position before it", () => {
  equal(stepBefore(steps, 4), 2);
  equal(decisionAt(steps, decisions, 2)?.move, 4);
  equal(decisionAt(steps, decisions, 1), null);
});

test("one jumps from mistake to mistake", () => {
  equal(neighbour(steps, decisions, 0, 1)?.move, 4);
  equal(neighbour(steps, decisions, 3, -1)?.move, 4);
  equal(neighbour(steps, decisions, 3, 1), null);
});

test("the graph has a dot for each mistake, the dearest the largest", () => {
  const graph = graphOf(decisions, 5, false)!;
  deepEqual(graph.dots.map((dot) => dot.decision.move), [4, 5]);
  equal(graph.dots[0]!.radius, 11);
  equal(graph.dots[0]!.x, 0.8);
});

test("the line of the graph ends at the result", () => {
  const graph = graphOf(decisions, 6, false, -9)!;
  equal(graph.line.length, 4);
  equal(graph.line.at(-1)!.x, 1);
});

test("one value alone draws no graph", () => {
  equal(graphOf([decision(1, 0)], 3, false), null);
});

test("cards may be named in any order", () => {
  const choices = [{ text: "4R 4S", kind: "play", words: "" }] satisfies Choice[];
  equal(choiceFor(choices, "4s 4r")?.text, "4R 4S");
  equal(choiceFor(choices, "4R"), null);
});

test("a position without a table has players without names", () => {
  const picture = { game: "nimmt", hands: [null, null, [7]] } as Picture;
  const still = stillOf({ seats: [], you: 2 } as unknown as TableInfo, picture);
  deepEqual(still.table.seats.map((seat) => [seat.name, seat.you]), [["Seat 1", false], ["Seat 2", false], ["Seat 3", true]]);
  equal(still.scores.length, 3);
});
