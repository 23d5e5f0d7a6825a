// Who won, told to one seat or to a spectator.
import { nameOf } from "../seats";
import type { TableInfo } from "../wire";
import { say } from "../words/shell";

/** The place of a seat, from 1; seats with equal scores share one. */
export function placeOf(scores: number[], seat: number): number {
  return 1 + scores.filter((score) => score > scores[seat]!).length;
}

/** Whether two sides play against each other, so that there is no place but first and last. */
function hasTwoSides({ name, seats }: TableInfo): boolean {
  return seats.length === 2 || name === "tichu";
}

export function verdictOf(table: TableInfo, scores: number[]): string {
  const best = Math.max(...scores);
  const first = scores.map((_, seat) => seat).filter((seat) => scores[seat] === best);
  if (first.length === scores.length) return say("draw");
  if (table.you >= 0) return yours(table, scores, first);
  const names = first.map((seat) => nameOf(table, seat)).join(", ");
  return first.length === 1 ? say("wins", { name: names }) : say("wins-all", { names });
}

function yours(table: TableInfo, scores: number[], first: number[]): string {
  const isFirst = first.includes(table.you);
  if (hasTwoSides(table)) return say(isFirst ? "you-win" : "you-lose");
  if (isFirst) return say(first.length === 1 ? "you-win" : "you-share");
  return say("you-place", { place: placeOf(scores, table.you), n: scores.length });
}
