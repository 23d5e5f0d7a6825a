// What raised cards mean: which legal plays they are, and what else may be raised.
import type { Choice } from "../../wire";
import { heightOf, isFlush, rankOf, readPlay, suitOf, writePlay } from "./cards";

export interface Match {
  text: string; // goes to the server
  words: string;
  phoenix: string | null;
}

const cardsOf = (choice: Choice) => (choice.cards ?? []) as string[];
const signOf = (cards: string[]) => cards.map(rankOf).sort().join(" ");

/** Plays are listed once for cards of equal ranks; straight flushes card by card. */
function isSame(raised: string[], cards: string[]): boolean {
  return signOf(raised) === signOf(cards) && isFlush(raised) === isFlush(cards);
}

/** The legal plays of exactly these cards, the one with the highest Phoenix first. */
export function matches(raised: string[], choices: Choice[]): Match[] {
  const found = new Map<string, Match>();
  for (const choice of choices) {
    if (choice.kind !== "play" || !raised.length || !isSame(raised, cardsOf(choice))) continue;
    const phoenix = choice.phoenix ?? null;
    const text = writePlay(raised, phoenix);
    if (!found.has(text)) found.set(text, { text, words: titleOf(choice), phoenix });
  }
  return [...found.values()].sort((a, b) => heightOf(b.phoenix ?? "") - heightOf(a.phoenix ?? ""));
}

/** The choice that stands for a play of the same ranks: what reviews know. */
export function listed(text: string, choices: Choice[]): string {
  const { cards, phoenix } = readPlay(text);
  const same = choices.find(
    (choice) => choice.kind === "play" && isSame(cards, cardsOf(choice)) && (choice.phoenix ?? null) === phoenix,
  );
  return same?.text ?? text;
}

/** What a play is, without its cards. */
export function titleOf(choice: Choice): string {
  return choice.words.split(": ")[0]!;
}

/** The cards of a hand that belong to a legal play together with what is raised. */
export function useful(hand: string[], raised: string[], choices: Choice[]): Set<string> {
  const found = new Set<string>();
  for (const choice of choices) {
    if (choice.kind !== "play") continue;
    const cards = cardsOf(choice);
    const rest = without(cards.map(rankOf), raised.map(rankOf));
    if (!rest || (isFlush(cards) && !raised.every((card) => cards.includes(card)))) continue;
    for (const card of hand)
      if (rest.includes(rankOf(card)) && (!isFlush(cards) || cards.includes(card))) found.add(card);
  }
  for (const card of raised) found.add(card);
  return found;
}

/** Takes ranks out of a list; null if one is not there. */
function without(ranks: string[], taken: string[]): string[] | null {
  const rest = [...ranks];
  for (const rank of taken) {
    const at = rest.indexOf(rank);
    if (at < 0) return null;
    rest.splice(at, 1);
  }
  return rest;
}

/** Raises the next card of a rank; lowers them again after the last. */
export function toggleRank(hand: string[], raised: string[], rank: string): string[] {
  const held = hand.filter((card) => rankOf(card) === rank);
  const next = held.find((card) => !raised.includes(card));
  return next ? [...raised, next] : raised.filter((card) => !held.includes(card));
}

export function toggle(raised: string[], card: string): string[] {
  return raised.includes(card) ? raised.filter((one) => one !== card) : [...raised, card];
}

/** The next bomb of those that may be laid, after the one that is raised. */
export function nextBomb(raised: string[], bombs: string[][]): string[] {
  const now = bombs.findIndex((bomb) => bomb.length === raised.length && bomb.every((card) => raised.includes(card)));
  return bombs[(now + 1) % bombs.length] ?? [];
}

/** The bombs among the legal plays. */
export function legalBombs(choices: Choice[]): string[][] {
  return choices
    .filter((choice) => choice.kind === "play")
    .map(cardsOf)
    .filter((cards) => isFlush(cards) || isFour(cards));
}

function isFour(cards: string[]): boolean {
  return cards.length === 4 && cards.every((card) => suitOf(card) && card[0] === cards[0]![0]);
}
