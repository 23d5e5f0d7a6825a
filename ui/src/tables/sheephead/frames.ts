// Steps from one snapshot to the next: every card is seen, a full trick stays readable, and so does
// the end of a hand. What lies between two snapshots is told by the events.
import { beats, FACE_DOWN, sorted, suitOf } from "../../cards/french";
import type { SheepheadPicture, Snapshot, TableEvent } from "../../wire";
import { say, takes } from "../../words/sheephead";
import { still, type Frame, type Framer } from "../props";
import { isNola, nextSeat, SEATS, trickPoints } from "./state";

const SHORTEST_TRICK = 350; // ms that a full trick stays, however fast one plays
const SHORTEST_HAND = 2500;
const LONGEST_HAND = 9000;

const trickHold = (beat: number) => Math.max(SHORTEST_TRICK, 1.8 * beat);
const handHold = (beat: number) => Math.min(LONGEST_HAND, Math.max(SHORTEST_HAND, 12 * beat));

const nobody = <T>(value: T): T[] => new Array<T>(SEATS).fill(value);
const at = <T>(list: readonly T[], index: number, value: T): T[] =>
  list.map((one, i) => (i === index ? value : one));

const isCard = (event: TableEvent): boolean =>
  event.message?.code === "sheephead.card" || event.message?.code === "sheephead.unknown-laid";

/** The seat that takes the trick with an event. */
function takerOf(event: TableEvent): number | null {
  const told = event.outcome.find((one) => one.code.startsWith("sheephead.takes"));
  return told ? Number(told.facts.seat) : null;
}

function emptyTrick(leader: number): NonNullable<SheepheadPicture["trick"]> {
  return { leader, cards: nobody(null), winner: null, led: null, points: 0 };
}

/** The picture of a hand before anybody has bid: from any later picture of it. */
export function dealt(later: SheepheadPicture, events: readonly TableEvent[], you: number): SheepheadPicture {
  const laid = events.filter((one) => one.seat === you && isCard(one) && one.action);
  const hand = sorted([...later.hand, ...laid.map((one) => one.action!)], false);
  const first = nextSeat(later.order, later.dealer);
  const hands = later.hands.map((_, seat) => (seat === you ? hand : null));
  return {
    ...later,
    ...{ phase: "bid", turn: first, hand, hands, counts: nobody(6), passed: nobody(false) },
    ...{ picker: null, partner: null, alone: false, called: null, revealed: false, face_down: "none" },
    ...{ buried: null, blind: null, trick: null, last: null, points: nobody(0), tricks: nobody(0) },
    ...{ doublings: 0, shown: { black: null, red: null }, result: null },
  };
}

/** Lays a card into the trick. */
function laid(picture: SheepheadPicture, event: TableEvent, you: number): SheepheadPicture {
  const seat = event.seat!;
  const nola = isNola(picture);
  const card = event.action ?? FACE_DOWN;
  const trick = picture.trick ?? emptyTrick(seat);
  const isLead = trick.cards.every((one) => one === null);
  const best = trick.winner === null ? null : trick.cards[trick.winner]!;
  const winner = isLead || !best || beats(card, best, nola) ? seat : trick.winner;
  const suit = card === FACE_DOWN ? null : suitOf(card, nola);
  const led = isLead ? (suit ? say(suit) : null) : trick.led;
  const cards = at(trick.cards, seat, card);
  const hand = seat === you ? picture.hand.filter((one) => one !== card) : picture.hand;
  const held = picture.hands[seat]?.filter((one) => one !== card) ?? null;
  return {
    ...picture,
    hand,
    hands: at(picture.hands, seat, held),
    counts: at(picture.counts, seat, picture.counts[seat]! - 1),
    turn: nextSeat(picture.order, seat),
    trick: { leader: isLead ? seat : trick.leader, cards, winner, led, points: trickPoints(cards) },
  };
}

/** Gives a full trick to who takes it. */
function taken(picture: SheepheadPicture, taker: number): SheepheadPicture {
  const trick = picture.trick!;
  const points = picture.points[taker]! + (isNola(picture) ? 0 : trick.points);
  return {
    ...picture,
    turn: taker,
    points: at(picture.points, taker, points),
    tricks: at(picture.tricks, taker, picture.tricks[taker]! + 1),
    last: { leader: trick.leader, cards: trick.cards, winner: taker },
    trick: emptyTrick(taker),
  };
}

const SYMBOLS: Record<string, string> = { "♣": "C", "♠": "S", "♥": "H", "♦": "D" };

/** Reads a card as people see it: A♠. */
const read = (shown: unknown): string => String(shown).replace(/[♣♠♥♦]/, (symbol) => SYMBOLS[symbol]!);

function declared(picture: SheepheadPicture, event: TableEvent): SheepheadPicture {
  const called = event.message!.facts.card;
  const isUnknown = event.message!.code === "sheephead.calls-unknown";
  return { ...picture, called: read(called), face_down: isUnknown ? "hidden" : "none", turn: null };
}

function blitzed(picture: SheepheadPicture, { seat, message }: TableEvent): SheepheadPicture {
  const which = message!.code.replace("sheephead.blitz-", "");
  const shown = {
    black: which === "red" ? picture.shown.black : seat,
    red: which === "black" ? picture.shown.red : seat,
  };
  return { ...picture, shown, doublings: picture.doublings + (which === "both" ? 2 : 1), turn: null };
}

/** Does what an event tells, but for what comes of it. */
function done(picture: SheepheadPicture, event: TableEvent, you: number): SheepheadPicture {
  const seat = event.seat ?? 0;
  const next = nextSeat(picture.order, seat);
  switch (event.message?.code) {
    case "sheephead.pass":
      if (picture.phase !== "bid") return { ...picture, turn: next };
      return { ...picture, passed: at(picture.passed, seat, true), turn: next };
    case "sheephead.pick":
      return { ...picture, phase: "bury", picker: seat, turn: seat, counts: at(picture.counts, seat, 8) };
    case "sheephead.buries":
    case "sheephead.buries-hidden":
      return { ...picture, phase: "declare", turn: seat, counts: at(picture.counts, seat, 6) };
    case "sheephead.calls":
    case "sheephead.calls-unknown":
      return declared(picture, event);
    case "sheephead.alone":
      return { ...picture, alone: true, turn: null };
    case "sheephead.crack":
      return { ...picture, doublings: picture.doublings + 1, turn: null };
    case "sheephead.blitz-black":
    case "sheephead.blitz-red":
    case "sheephead.blitz-both":
      return blitzed(picture, event);
    default:
      return isCard(event) ? laid(picture, event, you) : picture;
  }
}

/** What comes of an event beside a trick: who leads, who is the partner. */
function settled(picture: SheepheadPicture, event: TableEvent): SheepheadPicture {
  let now = picture;
  for (const { code, facts } of event.outcome) {
    const seat = Number(facts.seat);
    if (code === "sheephead.is-partner") now = { ...now, partner: seat, revealed: true };
    if (code === "sheephead.leads")
      now = { ...now, phase: playedAs(event), turn: seat, trick: emptyTrick(seat) };
  }
  return isNola(now) ? { ...now, hand: sorted(now.hand, true) } : now;
}

/** What follows if nobody picked: nola, leaster, doubler, redeal; empty if somebody did. */
function nobodyPicked(event: TableEvent): string {
  const told = event.outcome.find((one) => one.code === "sheephead.nobody-picks");
  const kind = told?.facts.kind as { code?: string } | undefined;
  return kind?.code?.replace("sheephead.none-", "") ?? "";
}

/** How the cards are played after the last bid or call. */
function playedAs(event: TableEvent): SheepheadPicture["phase"] {
  const kind = nobodyPicked(event);
  return kind === "nola" || kind === "leaster" ? kind : "play";
}

interface Film {
  frames: Frame[];
  picture: SheepheadPicture;
}

/** Shows one event; the picture after it goes on. */
function filmed(film: Film, event: TableEvent, after: Snapshot, beat: number): void {
  film.picture = settled(done(film.picture, event, after.table.you), event);
  const events = after.events.filter((one) => one.number <= event.number);
  const show = (picture: SheepheadPicture, hold: number, prompt = "") => {
    const waiting = picture.turn === null ? [] : [picture.turn];
    film.frames.push({ snapshot: { ...still(after, picture, prompt), events, waiting }, hold });
  };
  const taker = takerOf(event);
  if (taker === null || !film.picture.trick) show(film.picture, beat);
  else {
    const trick = { ...film.picture.trick, winner: taker };
    film.picture = { ...film.picture, trick, turn: null };
    show(film.picture, trickHold(beat), takes(after.table, taker));
    film.picture = taken(film.picture, taker);
  }
  if (event.ended?.game === "sheephead") show(event.ended, handHold(beat), say("hand-over"));
}

const endsHand = (event: TableEvent): boolean => event.ended !== null || nobodyPicked(event) === "redeal";

/** Shows what happened event by event, then the snapshot. */
export const sheepheadFrames: Framer = (before, after, beat) => {
  const [first, last] = [before?.picture, after.picture];
  if (first?.game !== "sheephead" || last.game !== "sheephead" || !after.events.length)
    return [{ snapshot: after, hold: 0 }];
  const film: Film = { frames: [], picture: first };
  after.events.forEach((event, i) => {
    if (event.message) filmed(film, event, after, beat);
    if (endsHand(event)) film.picture = dealt(last, after.events.slice(i + 1), after.table.you);
  });
  const isPlain = after.events.at(-1)!.ended === null && takerOf(after.events.at(-1)!) === null;
  if (isPlain) film.frames.pop(); // the snapshot itself shows it
  film.frames.push({ snapshot: after, hold: beat });
  return film.frames;
};
