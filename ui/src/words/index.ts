// The page's own words. What happens in a game is put into words by the server.
import { settings } from "../settings";

export type Facts = Record<string, string | number>;

/**
 * Returns a function that says phrases in the language of the settings. Both languages must have
 * the same keys. `{name}` stands for a fact. Of "{n} card | {n} cards" the first is for n = 1.
 */
export function phrases<Key extends string>(
  en: Record<Key, string>,
  de: Record<NoInfer<Key>, string>,
): (key: Key, facts?: Facts) => string {
  return (key, facts = {}) => fill((settings().language === "de" ? de : en)[key], facts);
}

export function fill(phrase: string, facts: Facts): string {
  const [one, many] = phrase.split(" | ") as [string, string?];
  const chosen = many !== undefined && facts.n !== 1 ? many : one;
  return chosen.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? ""));
}

/** A number as people of the language write it. */
export function number(value: number, digits = 0): string {
  return value.toLocaleString(settings().language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A unit beside a number or over a column; the server's word stands after "in". */
export function unitName(unit: string): string {
  return settings().language === "de" && unit === "Punkten" ? "Punkte" : unit;
}

/** A moment as people of the language write it, in their own time. */
export function moment(written: string): string {
  const known = new Date(written);
  if (Number.isNaN(known.getTime())) return "";
  return known.toLocaleString(settings().language, { dateStyle: "medium", timeStyle: "short" });
}

/** A date without a time, which is the same everywhere. */
export function day(written: string): string {
  const known = new Date(`${written}T12:00:00Z`);
  if (Number.isNaN(known.getTime())) return written;
  return known.toLocaleDateString(settings().language, { dateStyle: "long", timeZone: "UTC" });
}
