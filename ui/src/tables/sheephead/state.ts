// What a picture of Sheephead means: where seats are, who plays with whom, what may be done.
import { faceOf, pointsOf, suitOf, sumOf, type Suit } from "../../cards/french";
import type { Choice, SheepheadPicture } from "../../wire";

export const SEATS = 5;
const TRICKS = 6;
const FAIL: Suit[] = ["C", "S", "H"];

export const isNola = (picture: SheepheadPicture): boolean => picture.phase === "nola";

/** The place of each seat: 0 below, then to the left round the table. */
export function placesOf(order: readonly number[], you: number): number[] {
  const first = order.indexOf(Math.max(you, 0));
  return order.map((_, seat) => (order.indexOf(seat) - first + SEATS) % SEATS);
}

export function nextSeat(order: readonly number[], seat: number): number {
  return order[(order.indexOf(seat) + 1) % SEATS]!;
}

type Role = "picker" | "partner" | "partner-secret" | "alone" | null;

export function roleOf(picture: SheepheadPicture, seat: number): Role {
  if (seat === picture.picker) return picture.alone ? "alone" : "picker";
  if (seat !== picture.partner) return null;
  return picture.revealed || picture.result !== null ? "partner" : "partner-secret";
}

interface Sides {
  picker: number;
  others: number;
  isWhole: boolean; // whether the bury is counted
}

/** Points of both sides; null as long as the viewer cannot tell who plays with whom. */
export function sidesOf(picture: SheepheadPicture): Sides | null {
  const { picker, partner, points, buried } = picture;
  if (picker === null || (partner === null && !picture.alone)) return null;
  const own = points[picker]! + (partner === null ? 0 : points[partner]!);
  const all = points.reduce((sum, n) => sum + n, 0);
  return { picker: own + sumOf(buried ?? []), others: all - own, isWhole: buried !== null };
}

/** How many times the usual a hand pays. */
export function timesOf(picture: SheepheadPicture): number {
  return 2 ** (picture.doublings + (picture.doubled > 0 ? 1 : 0));
}

export function trickNumber(picture: SheepheadPicture): number {
  return Math.min(TRICKS, 1 + picture.tricks.reduce((sum, n) => sum + n, 0));
}

/** What a person has chosen so far towards a decision. */
export interface Draft {
  raised: string[]; // cards of the hand
  ace: string | null; // to be called with a card face down
}

/** The choice of a card in the hand. */
export function choiceOf(choices: readonly Choice[], card: string): Choice | undefined {
  return choices.find((choice) => choice.kind === "card" && choice.cards?.[0] === card);
}

/** The choice that buries exactly these two cards. */
export function buryOf(choices: readonly Choice[], raised: readonly string[]): Choice | undefined {
  if (raised.length !== 2) return undefined;
  return choices.find(
    (choice) => choice.kind === "bury" && raised.every((card) => choice.cards?.includes(card)),
  );
}

/** The choice that calls an ace with a card face down. */
export function unknownOf(choices: readonly Choice[], ace: string, laid: string): Choice | undefined {
  return choices.find(
    (choice) => choice.kind === "unknown" && choice.cards?.[0] === ace && choice.cards[1] === laid,
  );
}

/** The aces that can be called with a card face down. */
export function unknownAces(choices: readonly Choice[]): string[] {
  const found = choices.filter((choice) => choice.kind === "unknown");
  return [...new Set(found.map((choice) => String(choice.cards![0])))];
}

/** The ace that a card face down is laid for: the chosen one, or the only one. */
export function aceOf(choices: readonly Choice[], draft: Draft): string | null {
  const aces = unknownAces(choices);
  return draft.ace ?? (aces.length === 1 ? aces[0]! : null);
}

/** The choice that the raised cards amount to, once they are complete. */
export function readyChoice(choices: readonly Choice[], draft: Draft): Choice | undefined {
  const ace = aceOf(choices, draft);
  const laid = draft.raised[0];
  return buryOf(choices, draft.raised) ?? (ace && laid ? unknownOf(choices, ace, laid) : undefined);
}

/** Cards of the hand that can be raised for a question: to be buried, or to lie face down. */
export function raisable(choices: readonly Choice[]): Set<string> {
  const cards = choices.flatMap((choice) => {
    if (choice.kind === "bury") return choice.cards ?? [];
    return choice.kind === "unknown" ? (choice.cards ?? []).slice(1) : [];
  });
  return new Set(cards.map(String));
}

/** Raises a card, or lowers it; of more than `most` the first goes down. */
export function raisedWith(raised: readonly string[], card: string, most: number): string[] {
  if (raised.includes(card)) return raised.filter((one) => one !== card);
  return [...raised, card].slice(-most);
}

interface Denied {
  card: string;
  suit: Suit;
  why: "held" | "buried" | "void";
}

/** Says of each ace (of each ten for who called for tens) why it cannot be called. */
export function deniedCalls(picture: SheepheadPicture, choices: readonly Choice[]): Denied[] {
  const callable = choices
    .filter((choice) => choice.kind === "call" || choice.kind === "unknown")
    .map((choice) => String(choice.cards![0]));
  const rank = callable.some((card) => card.startsWith("10")) ? "10" : "A";
  const denied: Denied[] = [];
  for (const suit of FAIL) {
    const card = rank + suit;
    if (callable.includes(card)) continue;
    const why = picture.hand.includes(card) ? "held" : picture.buried?.includes(card) ? "buried" : "void";
    denied.push({ card, suit, why });
  }
  return denied;
}

/** Fail suits without their ace of which no card is left after burying: they cannot be called. */
export function suitsLost(hand: readonly string[], raised: readonly string[]): Suit[] {
  return FAIL.filter((suit) => {
    const held = hand.filter((card) => suitOf(card, false) === suit);
    const isOpen = held.length > 0 && !held.includes(`A${suit}`);
    return isOpen && held.every((card) => raised.includes(card));
  });
}

/** Where the line between trumps and the other suits is wanted: the first card of each group. */
export function groupStarts(hand: readonly string[], nola: boolean): Set<string> {
  return new Set(hand.filter((card, i) => i && suitOf(card, nola) !== suitOf(hand[i - 1]!, nola)));
}

/** The cards that came from the blind, if the hand before is known. */
export function fromBlind(before: readonly string[], now: readonly string[]): Set<string> {
  const isSame = before.length > 0 && before.every((card) => now.includes(card));
  return new Set(isSame ? now.filter((card) => !before.includes(card)) : []);
}

export const calledSuit = (picture: SheepheadPicture): Suit | null =>
  picture.called ? faceOf(picture.called).suit : null;

/** Points that lie in a trick, as far as they are seen. */
export function trickPoints(cards: readonly (string | null)[]): number {
  return cards.reduce((sum, card) => sum + (card ? pointsOf(card) : 0), 0);
}
