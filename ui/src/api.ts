// What the page asks the server outside of a table's socket.
import type { GameInfo, Me, NewTable, TableInfo } from "./wire";

/** The server said no; the message is for people. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** Asks the server and returns its answer; raises a Refusal with the reason it gives. */
export async function ask<Answer>(path: string, body?: unknown, method?: string): Promise<Answer> {
  const how = method ?? (body === undefined ? "GET" : "POST");
  const answer = await fetch(path, {
    method: how,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!answer.ok) throw new Refusal(await reason(answer), answer.status);
  return (await answer.json()) as Answer;
}

async function reason(answer: Response): Promise<string> {
  try {
    const { detail } = (await answer.json()) as { detail: unknown };
    if (typeof detail === "string") return detail;
  } catch {
    // Not JSON: the number must do.
  }
  return `${answer.status} ${answer.statusText}`;
}

export interface Daily {
  date: string;
  mine: string | null; // the table on which you played it
  results: { name: string; score: number; you: boolean }[];
  n: number;
}

export const me = () => ask<Me>("/api/me");
export const changeMe = (part: { name?: string; language?: string }) =>
  ask<Me>("/api/me", part, "PATCH");
export const games = () => ask<GameInfo[]>("/api/games");
export const lobby = () => ask<TableInfo[]>("/api/tables");
export const mine = () => ask<(TableInfo & { ended?: string | null; scores?: number[] | null })[]>("/api/mine");
export const table = (id: string) => ask<TableInfo>(`/api/tables/${id}`);
export const makeTable = (wanted: NewTable) => ask<TableInfo>("/api/tables", wanted);
export const again = (id: string, sameDeal: boolean) =>
  ask<TableInfo>(`/api/tables/${id}/again`, { same_deal: sameDeal });
export const daily = (game: string) => ask<Daily>(`/api/daily/${game}`);
export const playDaily = (game: string) => ask<TableInfo>(`/api/daily/${game}`, {});
