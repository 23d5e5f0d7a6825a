// What events tell of a round: the trick on the table, the last one, who has passed.
import type { TableEvent, TichuPicture } from "../../wire";
import { combinationOf, rankOf, readPlay, suitOf } from "./cards";
import { pointsOf } from "./points";

export interface Laid {
  seat: number;
  cards: string[];
  phoenix: string | null;
}

export interface Trick {
  number: number; // of the event that ended it
  plays: Laid[];
  taker: number;
  points: number;
}

export interface Story {
  number: number; // of the last event
  plays: Laid[]; // of the trick on the table
  passed: number[]; // seats that have passed since they laid something
  last: Trick | null;
}

export const NO_STORY: Story = { number: 0, plays: [], passed: [], last: null };

const fact = (event: { facts: Record<string, unknown> }, name: string) => Number(event.facts[name]);

/** The cards that an event lays; null if it lays none. */
export function laidBy(event: TableEvent): Laid | null {
  const code = event.message?.code;
  if (event.seat === null || (code !== "tichu.plays" && code !== "tichu.plays-bomb")) return null;
  return { seat: event.seat, ...readPlay(String(event.action ?? event.message!.facts.cards)) };
}

/** Goes on with a story by events that are not in it yet. */
export function told(story: Story, events: TableEvent[]): Story {
  return events.filter((event) => event.number > story.number).reduce(next, story);
}

function next(story: Story, event: TableEvent): Story {
  let { plays, passed, last } = story;
  const { seat } = event;
  const laid = laidBy(event);
  if (laid) {
    plays = laid.cards[0] === "Dog" ? [] : [...plays, laid];
    passed = plays.length ? passed.filter((one) => one !== laid.seat) : [];
  } else if (event.message?.code === "tichu.pass" && seat !== null) {
    passed = [...passed.filter((one) => one !== seat), seat];
  }
  const taken = event.outcome.find((one) => one.code === "tichu.takes-trick");
  if (taken) {
    last = { number: event.number, plays, taker: fact(taken, "seat"), points: fact(taken, "points") };
    plays = [];
    passed = [];
  }
  if (event.ended) return { ...NO_STORY, number: event.number };
  return { number: event.number, plays, passed, last };
}

/** A picture after one more event, as far as everybody sees it. */
export function advanced(picture: TichuPicture, event: TableEvent): TichuPicture {
  let shown: TichuPicture = { ...picture, turn: event.seat ?? picture.turn, deciding: [] };
  const laid = laidBy(event);
  const code = event.message?.code;
  if (laid) shown = withLaid(shown, laid);
  else if ((code === "tichu.tichu" || code === "tichu.grand") && event.seat !== null)
    shown.calls = put(shown.calls, event.seat, code === "tichu.grand" ? "grand" : "tichu");
  else if (code === "tichu.wish") shown.wish = String(event.message!.facts.rank);
  for (const one of event.outcome) {
    const seat = fact(one, "seat");
    if (one.code === "tichu.is-out") shown.out = put(shown.out, seat, placeOf(one.facts.place));
    if (one.code === "tichu.takes-trick") shown = withTaken(shown, seat, fact(one, "points"));
  }
  return shown;
}

const put = <T>(list: T[], at: number, value: T) => list.map((one, i) => (i === at ? value : one));

function placeOf(place: unknown): number {
  const code = (place as { code?: string } | null)?.code ?? "";
  return Number(code.at(-1)) || 0;
}

function withLaid(picture: TichuPicture, { seat, cards, phoenix }: Laid): TichuPicture {
  const hand = picture.hands[seat]?.filter((card) => !cards.includes(card)) ?? null;
  const isDone = cards.some((card) => suitOf(card) && rankOf(card) === picture.wish);
  return {
    ...picture,
    phase: "turn",
    hand: picture.hand.filter((card) => !cards.includes(card)),
    hands: put(picture.hands, seat, hand),
    counts: put(picture.counts, seat, picture.counts[seat]! - cards.length),
    laid: put(picture.laid, seat, cards),
    holder: seat,
    table: { cards, phoenix, kind: combinationOf(cards, phoenix).kind, words: "" },
    trick_points: picture.trick_points + cards.reduce((sum, card) => sum + pointsOf(card), 0),
    wish: isDone ? null : picture.wish,
  };
}

function withTaken(picture: TichuPicture, seat: number, points: number): TichuPicture {
  return {
    ...picture,
    turn: seat,
    tricks: put(picture.tricks, seat, picture.tricks[seat]! + 1),
    won: put(picture.won, seat, picture.won[seat]! + points),
    laid: picture.laid.map(() => null),
    holder: null,
    table: null,
    trick_points: 0,
  };
}
