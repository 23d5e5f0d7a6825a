// House rules that the start page offers, and the table that follows from them.
import type { GameInfo, NewTable } from "./wire";
import { tell } from "./words/home";

type Word = Parameters<typeof tell>[0];

export interface Rule {
  option: string; // of the game's spec, or one of BESIDE
  label: Word;
  values: [string, Word | ""][]; // the first one is usual; without a word it speaks for itself
  isMain?: boolean;
}

/** Choices that are no options of a game: who begins, and how friends find the table. */
const BESIDE = ["first", "join"];

const JOIN: Rule = { option: "join", label: "join", values: [["lobby", "join-lobby"], ["link", "join-link"]] };

const YES_NO: Rule["values"] = [["false", "no"], ["true", "yes"]];

export const RULES: Record<string, Rule[]> = {
  nimmt: [
    { option: "players", label: "players", isMain: true, values: ["4", "2", "3", "5", "6", "7", "8", "9", "10"].map((n) => [n, ""]) },
    { option: "match", label: "match", isMain: true, values: [["round", "one-round"], ["66", "to-66"]] },
    { option: "rows", label: "rows", values: [["free", "rows-free"], ["lowest", "rows-lowest"]] },
    { option: "hands", label: "hands", values: [["hidden", "hands-hidden"], ["open", "hands-open"]] },
    { option: "deck", label: "deck", values: [["full", "deck-full"], ["known", "deck-known"]] },
    JOIN,
  ],
  tichu: [
    { option: "match", label: "match", isMain: true, values: [["round", "one-round"], ["500", "to-500"], ["1000", "to-1000"]] },
    { option: "late_calls", label: "late_calls", values: YES_NO },
    JOIN,
  ],
  sheephead: [
    { option: "hands", label: "n-hands", isMain: true, values: ["5", "1", "10", "20"].map((n) => [n, ""]) },
    { option: "pass", label: "pass", isMain: true, values: [["nola", "pass-nola"], ["leaster", "pass-leaster"], ["doubler", "pass-doubler"], ["redeal", "pass-redeal"], ["forced", "pass-forced"]] },
    { option: "blitz", label: "blitz", values: YES_NO },
    { option: "crack", label: "crack", values: YES_NO },
    JOIN,
  ],
  connect4: [
    { option: "first", label: "first", isMain: true, values: [["me", "first-me"], ["bot", "first-bot"]] },
    { option: "opening", label: "opening", values: [["0", "opening-0"], ["4", "opening-4"]] },
    JOIN,
  ],
};

export type Chosen = Record<string, string>; // values of rules, by option

/** The spec of a game under house rules, from the spec that people use. */
export function specOf(game: GameInfo, chosen: Chosen): string {
  const options = new Map<string, string>();
  const [, given = ""] = game.people.split(":");
  for (const item of given.split(",").filter(Boolean)) {
    const [key = "", value = ""] = item.split("=");
    options.set(key, value);
  }
  for (const rule of RULES[game.name] ?? [])
    if (!BESIDE.includes(rule.option)) options.set(rule.option, valueOf(rule, chosen));
  const written = [...options].map(([key, value]) => `${key}=${value}`).join(",");
  return written ? `${game.name}:${written}` : game.name;
}

export function valueOf(rule: Rule, chosen: Chosen): string {
  const value = chosen[rule.option];
  return rule.values.some(([known]) => known === value) ? value! : rule.values[0]![0];
}

function seatsOf(game: string, chosen: Chosen): number {
  const fixed: Record<string, number> = { tichu: 4, sheephead: 5, connect4: 2 };
  return fixed[game] ?? Number(chosen.players ?? 4);
}

/** The table for one person and bots, for friends, or for bots alone. */
export function newTable(
  game: GameInfo,
  chosen: Chosen,
  level: string,
  how: "play" | "friends" | "watch",
): NewTable {
  const wanted: NewTable = { game: specOf(game, chosen), seats: null, level };
  if (how === "watch") return { ...wanted, watch: true };
  const n = seatsOf(game.name, chosen);
  if (how === "friends") {
    const open = Array.from({ length: n - 1 }, () => ({ kind: "open" as const }));
    return { ...wanted, seats: [{ kind: "me" }, ...open], private: chosen.join === "link" };
  }
  if (chosen.first === "bot" && game.name === "connect4")
    return { ...wanted, seats: [{ kind: "bot", level }, { kind: "me" }] };
  return wanted;
}

const ORDER = ["nimmt", "tichu", "sheephead", "connect4"];

/** Games in the order in which every page shows them; those that are not known here come last. */
export function inOrder(games: GameInfo[]): GameInfo[] {
  const rank = ({ name }: GameInfo) => (ORDER.indexOf(name) + ORDER.length + 1) % (ORDER.length + 1);
  return games.toSorted((a, b) => rank(a) - rank(b));
}
