// Cards of Tichu as the server writes them: 2R to AS, Ma, Dog, Ph, Dr.
export const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"] as const;
export const SUITS = ["R", "G", "B", "S"] as const;
export type Suit = (typeof SUITS)[number];

/** The rank of a card, or the name of a card without one. */
export function rankOf(card: string): string {
  return card.length === 2 && suitOf(card) ? card[0]! : card;
}

export function suitOf(card: string): Suit | null {
  const last = card.at(-1) as Suit;
  return card.length === 2 && SUITS.includes(last) ? last : null;
}

/** 2 to 14; 1 for the Mah Jong, 0 for the other three. */
export function heightOf(rank: string): number {
  if (rank === "Ma") return 1;
  const place = (RANKS as readonly string[]).indexOf(rank);
  return place < 0 ? 0 : place + 2;
}

/** The cards of a play as it is typed, and what the Phoenix stands for. */
export function readPlay(text: string): { cards: string[]; phoenix: string | null } {
  const words = text.split(" ").filter(Boolean);
  const phoenix = words.find((word) => word.startsWith("Ph="))?.slice(3) ?? null;
  return { cards: words.map((word) => (word.startsWith("Ph=") ? "Ph" : word)), phoenix };
}

/** Writes a play as it is typed. */
export function writePlay(cards: string[], phoenix: string | null): string {
  return cards.map((card) => (card === "Ph" && phoenix ? `Ph=${phoenix}` : card)).join(" ");
}

export type Kind = "single" | "pair" | "trio" | "full-house" | "straight" | "steps" | "bomb";

export interface Combination {
  kind: Kind;
  rank: string; // of a full house: of its trio; of a row: its top
  length: number;
}

const KINDS: Record<string, Kind> = { "1": "single", "2": "pair", "3": "trio", "4": "bomb", "23": "full-house" };

/** Says what a legal play is. */
export function combinationOf(cards: string[], phoenix: string | null): Combination {
  const count = new Map<string, number>();
  for (const card of cards) {
    const rank = card === "Ph" && phoenix ? phoenix : rankOf(card);
    count.set(rank, (count.get(rank) ?? 0) + 1);
  }
  const ranks = [...count.keys()].sort((a, b) => heightOf(a) - heightOf(b));
  const shape = ranks.map((rank) => count.get(rank)!).sort().join("");
  const kind = KINDS[shape] ?? (shape[0] === "2" ? "steps" : isFlush(cards) ? "bomb" : "straight");
  const rank = kind === "full-house" ? ranks.find((one) => count.get(one) === 3)! : ranks.at(-1)!;
  return { kind, rank, length: cards.length };
}

/** Whether five or more cards are of one suit: a straight of them is a bomb. */
export function isFlush(cards: string[]): boolean {
  const suit = suitOf(cards[0] ?? "");
  return cards.length >= 5 && suit !== null && cards.every((card) => suitOf(card) === suit);
}

/** The bombs of a hand: four of a rank, and the longest straights of one suit. */
export function bombsIn(hand: string[]): string[][] {
  const fours = RANKS.map((rank) => hand.filter((card) => card[0] === rank && suitOf(card)));
  const rows = SUITS.flatMap((suit) => rowsOf(RANKS.map((rank) => rank + suit), hand));
  return [...fours.filter((four) => four.length === 4), ...rows];
}

function rowsOf(suited: string[], hand: string[]): string[][] {
  const rows: string[][] = [[]];
  for (const card of suited) {
    if (hand.includes(card)) rows.at(-1)!.push(card);
    else rows.push([]);
  }
  return rows.filter((row) => row.length >= 5);
}
