// Who sits where on the screen: the viewer below, the partner above.
import { nameOf } from "../../seats";
import type { Snapshot, TichuPicture } from "../../wire";

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
