import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import type { Snapshot, TableEvent, TichuPicture } from "../../wire";
import { tichuFrames } from "./frames";
import { callPoints, doubleVictory } from "./points";
import { NO_STORY, told } from "./story";

const PICTURE: TichuPicture = {
  game: "tichu", phase: "turn", round: 1, target: 1000, total: [0, 0], points: [0, 0],
  hand: ["5R", "9R"], hands: [["5R", "9R"], null, null, null], counts: [2, 3, 3, 3],
  calls: ["", "", "", ""], out: [0, 0, 0, 0], tricks: [0, 0, 0, 0], won: [0, 0, 0, 0],
  answered: [false, false, false, false], given: [null, null, null], got: [null, null, null],
  deciding: [0], turn: 0, holder: null, table: null, trick_points: 0,
  laid: [null, null, null, null], wish: "9", may_call: false,
};

let count = 0;
function event(seat: number | null, action: string, outcome: TableEvent["outcome"] = []): TableEvent {
  const code = action === "pass" ? "tichu.pass" : "tichu.plays";
  const message = action ? { code, facts: { cards: action }, words: action } : null;
  return { number: ++count, seat, message, action, begins_turn: false, is_forced: false, outcome, ended: null, scores: null };
}
const takes = (seat: number, points: number) => ({ code: "tichu.takes-trick", facts: { seat, points }, words: "" });
const isOut = (seat: number, place: number) => ({ code: "tichu.is-out", facts: { seat, place: { code: `tichu.place-${place}`, facts: {} } }, words: "" });

function snapshot(picture: TichuPicture, events: TableEvent[], you = 0): Snapshot {
  return {
    is: "table", picture, events, decision: 1, choices: [], extra: [], claim: false, prompt: "", waiting: [],
    scores: [], last_event: count, table: { you } as Snapshot["table"],
  };
}
const shown = (frame: { snapshot: Snapshot }) => frame.snapshot.picture as TichuPicture;

test("a trick is told until it is taken, then it is the last one", () => {
  const start = count;
  const before = { ...NO_STORY, number: start };
  const story = told(before, [event(0, "5R"), event(1, "9G"), event(2, "pass"), event(3, "pass")]);
  deepEqual([story.plays.map((play) => play.seat), story.passed], [[0, 1], [2, 3]]);
  const after = told(story, [event(0, "pass"), event(null, "", [takes(1, 5)])]);
  deepEqual([after.plays, after.passed, after.last?.taker, after.last?.points], [[], [], 1, 5]);
  equal(told(after, [event(1, "KS")]).last, after.last);
});

test("events that are told already change nothing", () => {
  const first = event(0, "5R");
  const story = told({ ...NO_STORY, number: first.number - 1 }, [first]);
  equal(told(story, [first]), story);
});

test("the Dog is no trick", () => {
  const story = told({ ...NO_STORY, number: count }, [event(0, "Dog")]);
  deepEqual([story.plays, story.passed], [[], []]);
});

test("each play is a step of its own, with what everybody sees of it", () => {
  const events = [event(0, "5R"), event(1, "9G", [isOut(1, 1)]), event(2, "pass")];
  const last = { ...PICTURE, counts: [1, 2, 3, 3], wish: null };
  const frames = tichuFrames(snapshot(PICTURE, []), snapshot(last, events), 600);
  deepEqual(shown(frames[0]!).hand, ["9R"]);
  deepEqual([shown(frames[0]!).table?.cards, shown(frames[0]!).trick_points], [["5R"], 5]);
  deepEqual([shown(frames[1]!).counts, shown(frames[1]!).out, shown(frames[1]!).wish], [[1, 2, 3, 3], [0, 1, 0, 0], null]);
  equal(frames[0]!.snapshot.decision, null);
  equal(frames.at(-1)!.snapshot.picture, last);
});

test("a step that shows the same as the end is left out", () => {
  const events = [event(0, "5R")];
  const last = { ...PICTURE, counts: [1, 3, 3, 3], table: { cards: ["5R"], phoenix: null, kind: "single", words: "5" } };
  equal(tichuFrames(snapshot(PICTURE, []), snapshot(last, events), 600).length, 1);
});

test("where the server pauses, nothing stays longer than that", () => {
  const paused = (pause: number | null) => ({ ...snapshot({ ...PICTURE, turn: 2 }, [event(1, "pass")]), pause });
  const holds = [null, 400, 1000].map((pause) => tichuFrames(snapshot(PICTURE, []), paused(pause), 600).at(-1)!.hold);
  deepEqual(holds, [600, 400, 600]);
});

test("the end of a round waits for those who play", () => {
  const ended: TichuPicture = { ...PICTURE, phase: "wait", points: [200, 0], out: [1, 0, 2, 0] };
  const events = [{ ...event(2, "5R", [takes(2, 5)]), ended }];
  const next = { ...PICTURE, round: 2, phase: "grand" as const };
  const frames = tichuFrames(snapshot(PICTURE, []), snapshot(next, events), 600);
  deepEqual(frames.map((frame) => shown(frame).phase), ["turn", "wait", "grand"]);
  equal(frames[1]!.hold >= 20_000, true);
  const watched = tichuFrames(snapshot(PICTURE, [], -1), snapshot(next, events, -1), 600);
  equal(watched[1]!.hold < 10_000, true);
});

test("who arrives sees the present at once", () => {
  equal(tichuFrames(null, snapshot(PICTURE, [event(0, "5R")]), 600).length, 1);
});

test("calls count for their side, and two partners first are a double victory", () => {
  const picture: TichuPicture = { ...PICTURE, calls: ["tichu", "grand", "", "tichu"], out: [1, 0, 2, 0] };
  deepEqual(callPoints(picture), [100, -300]);
  equal(doubleVictory(picture), 0);
  equal(doubleVictory({ ...picture, out: [1, 2, 3, 0] }), null);
});
