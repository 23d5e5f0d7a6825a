// Players at a table: their names, and what one should know of them.
import type { Seat, TableInfo } from "./wire";
import { say } from "./words/shell";

export function nameOf(table: TableInfo, seat: number): string {
  return table.seats[seat]?.name || `${seat + 1}`;
}

/** Puts names where the server speaks of seats by number. */
export function withNames(words: string, table: TableInfo): string {
  return words.replace(/\b(?:seat|Platz) (\d+)\b/gi, (all, seat: string) =>
    table.seats[Number(seat)]?.name || all,
  );
}

/** What is unusual about a seat, in a word; empty if nothing is. */
export function stateOf(seat: Seat): string {
  if (seat.kind === "open") return say("free-seat");
  if (seat.covered) return say("covered");
  return seat.kind === "person" && !seat.online ? say("away") : "";
}

/** The strength of a bot, as people call it. */
export function levelOf(seat: Seat): string {
  const known = ["casual", "club", "expert", "best"] as const;
  const level = known.find((one) => one === seat.level);
  return level ? say(`level-${level}`) : (seat.level ?? "");
}

export function SeatName({ seat }: { seat: Seat }) {
  const state = stateOf(seat);
  return (
    <span class={`seat-name ${seat.you ? "is-you" : ""} ${state ? "is-away" : ""}`}>
      <span class={`seat-dot ${seat.kind} ${seat.online && !seat.covered ? "is-on" : ""}`} aria-hidden="true" />
      <span class="seat-text">{seat.name || say("free-seat")}</span>
      {seat.you && <span class="hidden-label"> ({say("you")})</span>}
      {state && seat.name && <span class="badge" title={state}>{seat.covered ? say("bot") : state}</span>}
    </span>
  );
}
