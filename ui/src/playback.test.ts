import { test } from "node:test";
import { deepEqual } from "node:assert/strict";
import { Playback } from "./playback";
import { extended } from "./useTable";
import type { Snapshot, TableEvent } from "./wire";

const event = (number: number) => ({ number }) as TableEvent;
const snapshot = (...numbers: number[]) => ({ events: numbers.map(event) }) as unknown as Snapshot;

function playing(): { playback: Playback; seen: number[][] } {
  const seen: number[][] = [];
  const show = (shown: Snapshot) => void seen.push(shown.events.map((one) => one.number));
  const framer = (_: Snapshot | null, after: Snapshot) => [{ snapshot: after, hold: 60_000 }];
  const playback = new Playback(() => framer, () => 0, show);
  [snapshot(1), snapshot(2), snapshot(3)].forEach((one) => playback.push(one));
  return { playback, seen };
}

test("going on shows the next step", () => {
  const { playback, seen } = playing();
  playback.goOn();
  playback.stop();
  deepEqual(seen, [[1], [2]]);
});

test("who hurries loses nothing of what happened", () => {
  const { playback, seen } = playing();
  playback.hurry();
  deepEqual(seen, [[1], [2, 3]]);
});

test("the log takes every event once", () => {
  const log = extended([event(1)], [1, 2, 3, 2, 3, 4].map(event));
  deepEqual(log.map((one) => one.number), [1, 2, 3, 4]);
});
