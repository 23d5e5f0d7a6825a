// What the page asks the server outside of a table's socket.
import type {
  Analysis,
  DealStatistics,
  GameInfo,
  Imported,
  Insight,
  LevelResult,
  Me,
  NewTable,
  PracticeCard,
  Replay,
  ReviewState,
  TableInfo,
  Verdict,
} from "./wire";

/** Asks the server and returns its answer; raises an error with the reason it gives, for people. */
export async function ask<Answer>(path: string, body?: unknown, method?: string): Promise<Answer> {
  const how = method ?? (body === undefined ? "GET" : "POST");
  const answer = await fetch(path, {
    method: how,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await reason(answer));
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

/** Of a table that is over; the review of a seat begins when it is asked for the first time. */
export const review = (id: string, seat: number) =>
  ask<ReviewState>(`/api/tables/${id}/review?seat=${seat}`);
export const replay = (id: string, seat: number, open: boolean) =>
  ask<Replay>(`/api/tables/${id}/replay?seat=${seat}&open=${open}`);
export const opinions = (id: string, move: number, open: boolean) =>
  ask<Insight>(`/api/tables/${id}/opinions?move=${move}&open=${open}`);
export const tryMove = (id: string, move: number, action: string) =>
  ask<Verdict>(`/api/tables/${id}/try`, { move, action });
/** The record as one line of JSON, to be downloaded. */
export const recordOf = (id: string) => `/api/tables/${id}/record`;

export const practice = () => ask<PracticeCard[]>("/api/practice");
export const answerCard = (id: string, action: string) =>
  ask<Verdict>(`/api/practice/${encodeURIComponent(id)}`, { action });
export const importText = (text: string) => ask<Imported>("/api/import", { text });
export const analyse = (position: string, seat?: number) =>
  ask<Analysis>("/api/analysis", seat === undefined ? { position } : { position, seat });

export const results = () => ask<LevelResult[]>("/api/results");
export const RESULTS_CSV = "/api/results.csv";
export const fairness = () => ask<DealStatistics[]>("/api/fairness");
