import { test } from "node:test";
import { deepEqual, equal, ok } from "node:assert/strict";
import type { NimmtPicture, Snapshot, TableEvent } from "../../wire";
import { nimmtFrames, turnsIn, type Shown } from "./frames";

const START: NimmtPicture = {
  game: "nimmt", phase: "choose", round: 1, turn: 4, turns: 10, match: null,
  rows: [[10, 11, 12, 13], [50], [60], [70]], row_heads: [10, 3, 3, 3],
  hand: [15, 90], hands: [[15, 90], null], hand_size: 2, chosen: [null, null], last: [null, null],
  taken: [0, 0], total: [0, 0], seen: [10, 11, 12, 13, 50, 60, 70], pool: [], deck: 104, free_rows: true,
};

const event = (number: number, seat: number, action: string): TableEvent => ({
  number, seat, action, message: null, begins_turn: seat === 0, is_forced: false, outcome: [], ended: null, scores: null,
});

function snapshot(picture: Partial<NimmtPicture>, events: TableEvent[] = []): Snapshot {
  const seats = ["Ada", "Bob"].map((name) => ({ name }));
  const table = { you: 0, status: "over", seats };
  const last_event = events.at(-1)?.number ?? 0;
  return { table, picture: { ...START, ...picture }, events, last_event, decision: 2, choices: [], waiting: [0] } as unknown as Snapshot;
}

const PLAYED = [event(1, 0, "15"), event(2, 1, "14")];
const AFTER = snapshot({ turn: 5, rows: [[15], [50], [60], [70]], hand: [90], last: [15, 14], taken: [11, 0] }, PLAYED);

const shownIn = (frames: { snapshot: Snapshot }[]) => frames.map((one) => one.snapshot.picture as Shown);

test("a turn is shown step by step: open, laid, the sixth, the row taken, the end", () => {
  const pictures = shownIn(nimmtFrames(snapshot({}), AFTER, 600));
  deepEqual(pictures.map((one) => one.stage?.kind), ["reveal", "lay", "lay", "take", undefined]);
  deepEqual(pictures.map((one) => one.rows[0]!.length), [4, 5, 6, 1, 1]);
  deepEqual(pictures.map((one) => one.chosen), [[15, 14], [15, null], [null, null], [null, null], [null, null]]);
  deepEqual(pictures.map((one) => one.taken[0]), [0, 0, 0, 11, 11]);
});

test("the picture that a turn begins from is left as it is", () => {
  const before = snapshot({ phase: "take", chosen: [15, 14] });
  const kept = structuredClone(before);
  nimmtFrames(before, AFTER, 600);
  deepEqual(before, kept);
});

test("nothing can be done in the steps, the game is not over yet, and they say what happens", () => {
  const steps = nimmtFrames(snapshot({}), AFTER, 600).slice(0, -1).map((one) => one.snapshot);
  ok(steps.every((one) => one.decision === null && one.table.status === "playing"));
  deepEqual(steps.map((one) => one.prompt).slice(1), [
    "Bob lays 14 on row 1",
    "You lay 15 on row 1",
    "You take row 1: 11 heads",
  ]);
});

test("the pace follows the beat, and without one the end is shown at once", () => {
  const total = (beat: number) => nimmtFrames(snapshot({}), AFTER, beat).reduce((sum, one) => sum + one.hold, 0);
  ok(total(1200) > total(600) && total(600) > total(200));
  equal(nimmtFrames(snapshot({}), AFTER, 0).length, 1);
});

test("the end of a turn is drawn before what comes next, and tells how the cards were laid", () => {
  const end = nimmtFrames(snapshot({}), AFTER, 0).at(-1)!;
  ok(end.hold > 0);
  deepEqual((end.snapshot.picture as Shown).layings!.map((one) => one.card), [14, 15]);
});

test("one's own card may have been chosen before", () => {
  const { turns, open } = turnsIn({ ...START, chosen: [15, 0] }, [event(2, 1, "14")]);
  deepEqual(turns.map((one) => one.cards), [[15, 14]]);
  equal(open, null);
});

test("a turn waits for the row of who is below all rows", () => {
  const cards = [event(1, 0, "15"), event(2, 1, "3")];
  deepEqual(turnsIn(START, cards), { turns: [], open: [15, 3] });
  const { turns } = turnsIn(START, [...cards, event(3, 1, "row 2")]);
  deepEqual([turns[0]!.cards, turns[0]!.row], [[15, 3], 1]);
});

test("where something was missed, the end is shown without steps", () => {
  const after = snapshot({ rows: [[99], [50], [60], [70]] }, PLAYED);
  deepEqual(shownIn(nimmtFrames(snapshot({}), after, 600)).map((one) => one.stage), [undefined]);
});

test("the end of a round stays before the next one", () => {
  const ended = { ...START, phase: "wait" as const, rows: [[15], [50], [60], [70]], taken: [11, 0] };
  const after = snapshot({ round: 2, turn: 1 }, [PLAYED[0]!, { ...PLAYED[1]!, ended }]);
  const frames = nimmtFrames(snapshot({}), after, 100);
  equal(shownIn(frames).at(-2)!.stage?.kind, "round-end");
  ok(frames.at(-2)!.hold >= 2000);
});
