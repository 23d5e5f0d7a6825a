import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import type { Choice, SheepheadPicture } from "../../wire";
import {
  buryOf,
  deniedCalls,
  fromBlind,
  groupStarts,
  placesOf,
  raisable,
  raisedWith,
  readyChoice,
  roleOf,
  sidesOf,
  suitsLost,
  timesOf,
  unknownAces,
  unknownOf,
} from "./state";

const START = { picker: null, partner: null, alone: false, points: [0, 0, 0, 0, 0], buried: null, hand: [] };
const picture = (part: Partial<SheepheadPicture>) => ({ ...START, ...part }) as SheepheadPicture;
const choice = (kind: string, ...cards: string[]): Choice => ({ text: `${kind} ${cards}`, kind, words: "", cards });

test("seats go round to the left of who looks", () => {
  deepEqual(placesOf([3, 4, 0, 1, 2], 1), [4, 0, 1, 2, 3]);
  deepEqual(placesOf([2, 0, 4, 1, 3], 4), [4, 1, 3, 2, 0]);
});

test("a spectator sits behind the first seat", () => {
  deepEqual(placesOf([0, 1, 2, 3, 4], -1), [0, 1, 2, 3, 4]);
});

test("points of the sides are told once the partner is known, with the bury for who knows it", () => {
  const points = [11, 20, 0, 4, 9];
  equal(sidesOf(picture({ picker: 1, points })), null);
  deepEqual(sidesOf(picture({ picker: 1, partner: 3, points })), { picker: 24, others: 20, isWhole: false });
  const buried = ["AC", "10H"];
  deepEqual(sidesOf(picture({ picker: 1, alone: true, points, buried })), { picker: 41, others: 24, isWhole: true });
});

test("a partner whom only the viewer knows is secret", () => {
  const known = { picker: 0, partner: 2, result: null };
  equal(roleOf(picture({ ...known, revealed: false }), 2), "partner-secret");
  equal(roleOf(picture({ ...known, revealed: true }), 2), "partner");
  equal(roleOf(picture({ ...known, alone: true }), 0), "alone");
});

test("cracks and double hands multiply", () => {
  equal(timesOf(picture({ doublings: 0, doubled: 0 })), 1);
  equal(timesOf(picture({ doublings: 2, doubled: 3 })), 8);
});

test("a third raised card lowers the first", () => {
  deepEqual(raisedWith(["7C", "8C"], "9C", 2), ["8C", "9C"]);
  deepEqual(raisedWith(["7C", "8C"], "7C", 2), ["8C"]);
});

test("two raised cards are buried in either order", () => {
  const choices = [choice("bury", "7C", "8C"), choice("bury", "7C", "9C")];
  equal(buryOf(choices, ["9C", "7C"]), choices[1]);
  equal(buryOf(choices, ["9C", "8C"]), undefined);
  equal(buryOf(choices, ["9C"]), undefined);
});

test("an unknown card is raised from the hand, its ace is chosen apart", () => {
  const pairs = [["AC", "QC"], ["AS", "QC"], ["AS", "8D"]];
  const choices = [choice("alone"), ...pairs.map((pair) => choice("unknown", ...pair))];
  deepEqual([...raisable(choices)], ["QC", "8D"]);
  deepEqual(unknownAces(choices), ["AC", "AS"]);
  equal(unknownOf(choices, "AS", "8D"), choices[3]);
  equal(readyChoice(choices, { raised: ["QC"], ace: null }), undefined);
  equal(readyChoice(choices, { raised: ["QC"], ace: "AC" }), choices[1]);
  equal(readyChoice(choices.slice(2), { raised: ["8D"], ace: null }), choices[3]);
});

test("the other aces are told why they cannot be called", () => {
  const shown = picture({ hand: ["QC", "AC", "7H"], buried: ["AS", "8S"] });
  const denied = deniedCalls(shown, [choice("alone"), choice("call", "AH")]);
  deepEqual(denied.map(({ card, why }) => [card, why]), [["AC", "held"], ["AS", "buried"]]);
});

test("burying a whole suit is told where its ace could be called", () => {
  deepEqual(suitsLost(["QC", "7C", "AH", "KH", "8S"], ["7C", "8S"]), ["C", "S"]);
  deepEqual(suitsLost(["QC", "AH", "KH", "7C", "8C"], ["AH", "KH"]), []);
});

test("suits are set apart in the hand", () => {
  deepEqual([...groupStarts(["QC", "8D", "AC", "7C", "7H"], false)], ["AC", "7H"]);
});

test("cards from the blind are told by the hand before", () => {
  deepEqual([...fromBlind(["QC", "7H"], ["QC", "8D", "7H", "7S"])], ["8D", "7S"]);
  deepEqual([...fromBlind([], ["QC", "8D"])], []);
  deepEqual([...fromBlind(["AH", "7H"], ["QC", "8D"])], []);
});
