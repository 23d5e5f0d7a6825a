// What a round brings.
import type { TichuPicture } from "../../wire";
import { rankOf } from "./cards";

const VALUE = { tichu: 100, grand: 200 } as const;
const POINTS: Record<string, number> = { "5": 5, T: 10, K: 10, Dr: 25, Ph: -25 };

export function pointsOf(card: string): number {
  return POINTS[rankOf(card)] ?? 0;
}

/** Points of both sides for their calls. */
export function callPoints(picture: TichuPicture): [number, number] {
  const points: [number, number] = [0, 0];
  picture.calls.forEach((call, seat) => {
    if (call) points[(seat % 2) as 0 | 1] += picture.out[seat] === 1 ? VALUE[call] : -VALUE[call];
  });
  return points;
}

/** The side whose two players were out first, or null. */
export function doubleVictory({ out }: TichuPicture): 0 | 1 | null {
  const [first, second] = [out.indexOf(1), out.indexOf(2)];
  return first >= 0 && second >= 0 && first % 2 === second % 2 ? ((first % 2) as 0 | 1) : null;
}
