// How a deal is checked by who does not want to believe.
import type { TableInfo } from "./wire";

/** The name under which the record of a game is kept. */
export function recordName({ id }: Pick<TableInfo, "id">): string {
  return `kibitz-${id}.jsonl`;
}

/** The command that checks a deal by the record of its game; null before the game is over. */
export function checkCommand(table: Pick<TableInfo, "id" | "fairness">): string | null {
  const { commitment, seed, salt } = table.fairness;
  if (seed === null || salt === null) return null;
  return `kibitz fair ${recordName(table)} --fingerprint ${commitment} --salt ${salt}`;
}
