// The exchange: three cards are laid out here, then go to the server one after the other.
import type { Choice } from "../../wire";

/** By receiver: the right neighbour, the partner, the left neighbour. */
export type Gifts = (string | null)[];

export const NO_GIFTS: Gifts = [null, null, null];

/** The first free slot from the left; null if all are full. */
export function firstFree(gifts: Gifts): number | null {
  return [2, 1, 0].find((slot) => gifts[slot] === null) ?? null;
}

/** Puts a card in the slot, or in the first free one; takes it back if it lies in one. */
export function place(gifts: Gifts, card: string, slot: number | null): Gifts {
  if (gifts.includes(card)) return gifts.map((one) => (one === card ? null : one));
  const at = slot ?? firstFree(gifts);
  return gifts.map((one, k) => (k === at ? card : one));
}

/** What lies in the slots: what the server has, then what was laid out here, if it is held. */
export function slots(given: Gifts, laid: Gifts, hand: string[]): Gifts {
  return given.map((card, k) => {
    const own = laid[k] ?? null;
    return card ?? (own && hand.includes(own) && !given.includes(own) ? own : null);
  });
}

/** The slot that the server asks for; null if it asks for none. */
export function askedSlot(choices: Choice[], you: number): number | null {
  const seat = choices.find((choice) => choice.kind === "give")?.seat;
  return seat === undefined ? null : ((seat - you + 4) % 4) - 1;
}

/** The text of the gift that the server asks for next; null if none is laid out for it. */
export function nextGift(gifts: Gifts, choices: Choice[], you: number): string | null {
  const slot = askedSlot(choices, you);
  const card = slot === null ? null : gifts[slot];
  const choice = choices.find((one) => one.kind === "give" && one.cards?.[0] === card);
  return choice?.text ?? null;
}
