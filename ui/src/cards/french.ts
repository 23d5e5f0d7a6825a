// French-suited cards as data: what a name such as 10H, QD or joker stands for.

export type Suit = "C" | "S" | "H" | "D";

export const SUITS: Suit[] = ["C", "S", "H", "D"];

/** Outlines around the origin, about 20 units high. */
export const SUIT_PATHS: Record<Suit, string> = {
  C:
    "M0-9.8a4.7 4.7 0 0 1 3.6 7.7a4.7 4.7 0 1 1-2.4 8.2q.3 2.2 2.6 3.7h-7.6q2.3-1.5 2.6-3.7" +
    "a4.7 4.7 0 1 1-2.4-8.2a4.7 4.7 0 0 1 3.6-7.7z",
  S: "M0-10c2.4 4.2 9 6.3 9 12.2c0 4.8-5.4 6-7.8 2.7q.3 3 2.6 4.9h-7.6q2.3-1.9 2.6-4.9c-2.4 3.3-7.8 2.1-7.8-2.7c0-5.9 6.6-8 9-12.2z",
  H: "M0 9.6c-3-4-9.5-7.4-9.5-13c0-3.6 2.5-5.8 5-5.8c2.3 0 3.8 1.3 4.5 3.3c.7-2 2.2-3.3 4.5-3.3c2.5 0 5 2.2 5 5.8c0 5.6-6.5 9-9.5 13z",
  D: "M0-10q3.2 5.4 7.6 10q-4.4 4.6-7.6 10q-3.2-5.4-7.6-10q4.4-4.6 7.6-10z",
};

const POINTS: Record<string, number> = { A: 11, "10": 10, K: 4, Q: 3, J: 2 };

export interface Face {
  rank: string; // 7 … A; empty for the joker
  suit: Suit | null; // null for the joker
}

export const JOKER = "joker";

/** Cards that lie face down are written "?". */
export const FACE_DOWN = "?";

export function faceOf(card: string): Face {
  if (card === JOKER) return { rank: "", suit: null };
  return { rank: card.slice(0, -1), suit: card.slice(-1) as Suit };
}

/** Points of a card in Sheephead; the joker, and what is not known, count nothing. */
export function pointsOf(card: string): number {
  return card === JOKER || card === FACE_DOWN ? 0 : (POINTS[faceOf(card).rank] ?? 0);
}

export function sumOf(cards: readonly string[]): number {
  return cards.reduce((sum, card) => sum + pointsOf(card), 0);
}

/** Trumps of Sheephead, the highest first. */
export const TRUMPS = ["QC", JOKER, "QS", "QH", "QD", "JC", "JS", "JH", "JD", "AD", "10D", "KD", "9D", "8D"];

const FAIL_RANKS = ["A", "10", "K", "9", "8", "7"];
const NOLA_RANKS = ["A", "K", "Q", "J", "10", "9", "8", "7"];

export const isTrump = (card: string): boolean => TRUMPS.includes(card);

/** The suit that a card belongs to: T is trump. Nola has no trump, and its joker is the 7 of diamonds. */
export function suitOf(card: string, isNola: boolean): Suit | "T" {
  if (isNola) return card === JOKER ? "D" : faceOf(card).suit!;
  return isTrump(card) ? "T" : faceOf(card).suit!;
}

/** A card's place in its suit, 0 the highest. */
function placeOf(card: string, isNola: boolean): number {
  if (isNola) return NOLA_RANKS.indexOf(card === JOKER ? "7" : faceOf(card).rank);
  return isTrump(card) ? TRUMPS.indexOf(card) : FAIL_RANKS.indexOf(faceOf(card).rank);
}

/** Whether a card takes a trick from the card that has it so far. */
export function beats(card: string, best: string, isNola: boolean): boolean {
  if (card === FACE_DOWN) return false;
  const [mine, theirs] = [suitOf(card, isNola), best === FACE_DOWN ? null : suitOf(best, isNola)];
  if (mine === theirs) return placeOf(card, isNola) < placeOf(best, isNola);
  return mine === "T";
}

/** Cards as people hold them: trumps, then clubs, spades, hearts; in Nola four suits. */
export function sorted(cards: readonly string[], isNola: boolean): string[] {
  const order = isNola ? "CSHD" : "TCSH";
  const key = (card: string) => 20 * order.indexOf(suitOf(card, isNola)) + placeOf(card, isNola);
  return [...cards].sort((a, b) => key(a) - key(b));
}
