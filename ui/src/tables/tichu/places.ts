// Who sits where on the screen: the viewer below, the partner above.
import { nameOf } from "../../seats";
import type { Snapshot, TichuPicture } from "../../wire";
import { say } from "../../words/tichu";

export type Side = "bottom" | "right" | "top" | "left";
export const SIDES: Side[] = ["bottom", "right", "top", "left"];

/** What the parts of the table look at. */
export interface Sight {
  snapshot: Snapshot;
  picture: TichuPicture;
  base: number; // the seat below
  passed: number[];
  readOnly: boolean;
}

export function sideOf(sight: { base: number }, seat: number): Side {
  return SIDES[(seat - sight.base + 4) % 4]!;
}

export function seatAt(sight: { base: number }, side: Side): number {
  return (sight.base + SIDES.indexOf(side)) % 4;
}

export function nameAt(sight: Sight, seat: number): string {
  return nameOf(sight.snapshot.table, seat);
}

/** Whether a seat is the viewer's own. */
export function isYou(sight: Sight, seat: number): boolean {
  return seat === sight.snapshot.table.you;
}

export function namesOf(sight: Sight, side: 0 | 1): string {
  return [side, side + 2].map((seat) => nameAt(sight, seat)).join(", ");
}

/** What a side is called: us and them, or by name for who only looks on. */
export function sideWords(sight: Sight, side: 0 | 1): string {
  if (sight.snapshot.table.you < 0) return namesOf(sight, side);
  return side === sight.base % 2 ? say("we") : say("they");
}
