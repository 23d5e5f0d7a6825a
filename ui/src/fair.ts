// How a deal is checked by who does not want to believe.
import type { TableInfo } from "./wire";

/** The command that makes the fingerprint of a deal again; null before the game is over. */
export function checkCommand({ fairness: { seed, salt } }: Pick<TableInfo, "fairness">): string | null {
  if (seed === null || salt === null) return null;
  return `printf %s ${seed}:${salt} | sha256sum`;
}
