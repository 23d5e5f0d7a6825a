import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import type { SheepheadPicture, Snapshot, TableEvent, Told } from "../../wire";
import { sheepheadFrames } from "./frames";

const START: SheepheadPicture = {
  ...{ game: "sheephead", phase: "play", number: 1, hands_in_session: 3 },
  ...{ order: [4, 0, 1, 2, 3], dealer: 4, turn: 0 },
  ...{ hand: ["10C", "QH"], hands: [["10C", "QH"], null, null, null, null], counts: [2, 2, 2, 2, 2] },
  ...{ picker: 1, partner: null, alone: false, called: "AC", revealed: false },
  passed: [false, false, false, false, false],
  ...{ face_down: "none", buried: null, blind: null, last: null, result: null, doubled: 0, doublings: 0 },
  ...{ points: [0, 0, 0, 0, 0], tricks: [1, 0, 0, 0, 3], money: [0, 0, 0, 0, 0], paid: [0, 0, 0, 0, 0] },
  trick: { leader: 0, cards: [null, null, null, null, null], winner: null, led: null, points: 0 },
  shown: { black: null, red: null },
};

const told = (code: string, facts: Record<string, unknown> = {}): Told => ({
  code: `sheephead.${code}`,
  facts,
  words: "",
});

type Known = [number: number, seat: number, code: string, action: string | null];

function event([number, seat, code, action]: Known, ...outcome: Told[]): TableEvent {
  const plain = { begins_turn: false, is_forced: false, ended: null, scores: null };
  return { ...plain, number, seat, message: told(code, { card: action }), action, outcome };
}

const card = (number: number, seat: number, action: string, ...outcome: Told[]) =>
  event([number, seat, "card", action], ...outcome);

function snapshot(picture: SheepheadPicture, events: TableEvent[]): Snapshot {
  const table = { you: 0, seats: [] };
  return { picture, events, table, choices: [], decision: null, prompt: "" } as unknown as Snapshot;
}

const TRICK = [
  card(1, 0, "10C"),
  card(2, 1, "7C"),
  card(3, 2, "AC", told("is-partner", { seat: 2 })),
  card(4, 3, "9C"),
  card(5, 4, "8D", told("takes", { seat: 4, points: 21 })),
];

const shown = (frames: { snapshot: Snapshot }[]) => frames.map((frame) => frame.snapshot.picture as SheepheadPicture);

test("cards of a trick are shown one after the other, with who takes it so far", () => {
  const pictures = shown(sheepheadFrames(snapshot(START, []), snapshot(START, TRICK), 600));
  equal(pictures.length, 6);
  deepEqual(pictures.slice(0, 5).map((one) => one.trick!.winner), [0, 0, 2, 2, 4]);
  deepEqual(pictures[0]!.hand, ["QH"]);
  deepEqual([pictures[1]!.partner, pictures[2]!.partner, pictures[2]!.revealed], [null, 2, true]);
  deepEqual(pictures[4]!.trick!.cards, ["10C", "7C", "AC", "9C", "8D"]);
});

test("a full trick stays longer than a card, and nothing can be done meanwhile", () => {
  const frames = sheepheadFrames(snapshot(START, []), snapshot(START, TRICK), 600);
  equal(frames[4]!.hold > frames[3]!.hold, true);
  deepEqual(frames.slice(0, 5).map((frame) => frame.snapshot.decision), [null, null, null, null, null]);
  deepEqual(frames.slice(0, 5).map((frame) => frame.snapshot.waiting), [[1], [2], [3], [4], []]);
});

test("the log grows with the cards", () => {
  const frames = sheepheadFrames(snapshot(START, []), snapshot(START, TRICK), 600);
  deepEqual(frames.map((frame) => frame.snapshot.events.length), [1, 2, 3, 4, 5, 5]);
});

test("a single card is shown by the snapshot itself", () => {
  const after = snapshot(START, TRICK.slice(0, 1));
  deepEqual(sheepheadFrames(snapshot(START, []), after, 600), [{ snapshot: after, hold: 600 }]);
});

test("the next trick begins with who took the last one", () => {
  const after = snapshot(START, [...TRICK, card(6, 4, "JD"), card(7, 0, "QH")]);
  const next = shown(sheepheadFrames(snapshot(START, []), after, 0))[5]!;
  deepEqual(next.last, { leader: 0, cards: ["10C", "7C", "AC", "9C", "8D"], winner: 4 });
  deepEqual([next.tricks[4], next.points[4], next.trick!.leader], [4, 21, 4]);
});

test("a card face down is laid without its name", () => {
  const after = snapshot(START, [card(1, 0, "10C"), event([2, 1, "unknown-laid", null]), card(3, 2, "9C")]);
  const second = shown(sheepheadFrames(snapshot(START, []), after, 0))[1]!;
  deepEqual([second.trick!.cards[1], second.trick!.winner], ["?", 0]);
});

test("after the end of a hand, the bids of the next one are shown on fresh cards", () => {
  const ended: SheepheadPicture = { ...START, phase: "wait", result: "you win" };
  const passed = [false, true, true, false, false];
  const next = { number: 2, dealer: 0, order: [0, 1, 2, 3, 4], hand: ["7S"], passed };
  const fresh: SheepheadPicture = { ...START, ...next, phase: "bid" };
  const last = { ...TRICK[4]!, ended };
  const passes = [event([6, 1, "pass", "pass"]), event([7, 2, "pass", "pass"])];
  const after = snapshot(fresh, [...TRICK.slice(0, 4), last, ...passes]);
  const frames = sheepheadFrames(snapshot(START, []), after, 600);
  const pictures = shown(frames);
  equal(pictures[5], ended);
  equal(frames[5]!.hold > 2000, true);
  deepEqual(pictures[6]!.passed, [false, true, false, false, false]);
  deepEqual(pictures.at(-1), fresh);
});

test("Nola begins without trump", () => {
  const nothing = { trick: null, picker: null, called: null };
  const bid: SheepheadPicture = { ...START, ...nothing, phase: "bid", hand: ["QC", "7C"] };
  const kind = { code: "sheephead.none-nola", facts: {} };
  const pass = event([1, 4, "pass", "pass"], told("nobody-picks", { kind }), told("leads", { seat: 0 }));
  const after = snapshot({ ...bid, phase: "nola" }, [pass, card(2, 0, "7C")]);
  const first = shown(sheepheadFrames(snapshot(bid, []), after, 600))[0]!;
  deepEqual([first.phase, first.trick!.leader], ["nola", 0]);
});
