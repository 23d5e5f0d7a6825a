// What every table is given.
import type { Settings } from "../settings";
import type { Picture, Snapshot } from "../wire";

export interface TableProps {
  snapshot: Snapshot;
  play: (action: string) => void;
  tryAction: (text: string) => Promise<{ ok: boolean; text: string; why: string }>;
  wait?: () => void; // asks for more time in a pause
  settings: Settings;
  readOnly?: boolean; // a picture only, as in a review
  goOn?: () => void; // shows the next step at once; given while more is waiting to be shown
}

/** A snapshot as it is shown, and how long it stays at least before the next one, in ms. */
export interface Frame {
  snapshot: Snapshot;
  hold: number;
}

/** Says in which steps the change between two snapshots is shown; the last step shows `after`. */
export type Framer = (before: Snapshot | null, after: Snapshot, beat: number) => Frame[];

/** A step on the way to a snapshot: nothing can be done in it, and the game goes on. */
export function still(after: Snapshot, picture: Picture, prompt = ""): Snapshot {
  const table = { ...after.table, status: "playing" as const };
  return { ...after, table, picture, prompt, decision: null, choices: [], extra: [] };
}

const ROUND_END = 2500;

/** Shows a snapshot for a beat, and the end of a round before the next one. */
export const plainFrames: Framer = (before, after, beat) => {
  const frames: Frame[] = [];
  const ended = after.events.findLast((event) => event.ended)?.ended;
  if (ended && before) {
    frames.push({ snapshot: still(after, ended), hold: Math.max(beat, ROUND_END) });
  }
  frames.push({ snapshot: after, hold: before && after.events.length ? beat : 0 });
  return frames;
};
