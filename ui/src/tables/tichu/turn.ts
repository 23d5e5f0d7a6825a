// What the viewer is about to do: raised cards, gifts laid out, the moment for a bomb.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Snapshot, TichuPicture } from "../../wire";
import type { TableProps } from "../props";
import { askedSlot, NO_GIFTS, nextGift, place, slots, type Gifts } from "./gifts";
import { matches, type Match } from "./selection";
import { NO_STORY, told, type Story, type Trick } from "./story";

const DEBOUNCE = 160; // ms
const TWICE = 700; // ms in which the same decision is not answered again
const SHORTEST_WINDOW = 1500; // ms

/** The story of the round, and the trick that has just been taken. */
export function useStory(snapshot: Snapshot): { story: Story; taken: Trick | null } {
  const story = useRef<Story>(NO_STORY);
  const first = useRef(snapshot.last_event);
  story.current = told(story.current, snapshot.events);
  const { last } = story.current;
  return { story: story.current, taken: last && last.number > first.current ? last : null };
}

/** Whether a game runs; in reviews and exercises single decisions are asked for, without a clock. */
export function isLive({ table }: Snapshot): boolean {
  return table.status === "playing";
}

/** Plays each decision once, however often a key is hit. */
export function useOnce(snapshot: Snapshot, play: (text: string) => void): (text: string) => void {
  const sent = useRef({ decision: -1, at: 0 });
  return (text) => {
    const decision = snapshot.decision ?? -1;
    const isTwice = sent.current.decision === decision && Date.now() - sent.current.at < TWICE;
    if (isTwice) return;
    sent.current = { decision, at: Date.now() };
    play(text);
  };
}

export interface Selection {
  found: Match[]; // the legal plays of the raised cards
  why: string; // not, if the server has said so
  isChecking: boolean;
}

/** What raised cards are; the server says why they cannot be played. */
export function useSelection(
  raised: string[],
  snapshot: Snapshot,
  tryAction: TableProps["tryAction"],
): Selection {
  const [answer, setAnswer] = useState<{ sign: string; found: Match[]; why: string } | null>(null);
  const local = matches(raised, snapshot.choices);
  const text = raised.join(" ");
  const sign = `${snapshot.decision} ${text}`;
  const isAsked = raised.length > 0 && !local.length && snapshot.decision !== null;
  useEffect(() => {
    if (!isAsked) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const { ok, text: written, why } = await tryAction(text);
      const found = ok ? [{ text: written || text, words: "", phoenix: null }] : [];
      if (isCurrent) setAnswer({ sign, found, why });
    }, DEBOUNCE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [sign, isAsked]);
  const known = isAsked && answer?.sign === sign ? answer : null;
  return { found: known?.found ?? local, why: known?.why ?? "", isChecking: isAsked && !known };
}

export interface Giving {
  gifts: Gifts;
  slot: number | null;
  isSent: boolean;
  isReady: boolean; // enough cards lie in the slots
  pressCard: (card: string) => void;
  pressSlot: (slot: number) => void;
  confirm: () => void;
}

/**
 * Gathers three gifts, then sends them in the order in which the server asks. Where no game runs,
 * only the one that is asked for.
 */
export function useGifts(snapshot: Snapshot, picture: TichuPicture, play: (text: string) => void): Giving {
  const [laid, setLaid] = useState<Gifts>(NO_GIFTS);
  const [slot, setSlot] = useState<number | null>(null);
  const [isSent, setSent] = useState(false);
  const gifts = slots(picture.given, laid, picture.hand);
  const only = isLive(snapshot) ? null : askedSlot(snapshot.choices, snapshot.table.you);
  const isReady = only === null ? gifts.every((card) => card !== null) : gifts[only] !== null;
  const isExchange = picture.phase === "exchange";
  const isGiving = isExchange && snapshot.decision !== null;
  useEffect(() => {
    if (isExchange) return;
    setLaid(NO_GIFTS);
    setSent(false);
  }, [isExchange]);
  useEffect(() => {
    if (!isSent || !isGiving) return;
    const text = nextGift(gifts, snapshot.choices, snapshot.table.you);
    if (text) play(text);
    else setSent(false);
  }, [isSent, isGiving, snapshot.decision]);
  return {
    gifts,
    slot,
    isSent: isSent && isExchange,
    isReady,
    pressCard: (card) => {
      if (isSent || picture.given.includes(card)) return;
      setLaid(place(gifts, card, only ?? slot));
      setSlot(null);
    },
    pressSlot: (at) => {
      if (gifts[at]) setLaid(gifts.map((one, k) => (k === at ? null : one)));
      setSlot(at);
    },
    confirm: () => {
      if (!isReady) return;
      if (only === null) setSent(true);
      else play(nextGift(gifts, snapshot.choices, snapshot.table.you)!);
    },
  };
}

/** Whether the viewer may bomb now. */
function isMoment({ picture, decision }: Snapshot): boolean {
  return picture.game === "tichu" && picture.phase === "window" && decision !== null;
}

/**
 * Lets a moment for bombs pass by itself, unless it is held; returns how long it lasts. At tables
 * with several people the server does that, so that it takes the same time for everybody.
 */
export function useWindow(snapshot: Snapshot, beat: number, isHeld: boolean, letGo: () => void): number {
  const isPaused = typeof snapshot.pause === "number";
  const lasts = snapshot.pause ?? Math.max(SHORTEST_WINDOW, 2.5 * beat);
  const isOpen = isMoment(snapshot) && isLive(snapshot);
  useEffect(() => {
    if (!isOpen || isHeld || isPaused) return;
    const timer = setTimeout(letGo, lasts);
    return () => clearTimeout(timer);
  }, [snapshot.decision, isOpen, isHeld, isPaused]);
  return isOpen && (isPaused || !isHeld) ? lasts : 0;
}

/**
 * Asks for more time once the viewer begins to lay a bomb: by the button, before or now, or by
 * raising cards now. Cards that were raised before are for one's own turn.
 */
export function useMoreTime(snapshot: Snapshot, raised: string[], isArmed: boolean, wait: () => void): void {
  const before = useRef({ decision: -1, raised: "", isSent: false });
  const isOpen = isMoment(snapshot) && typeof snapshot.pause === "number";
  const now = raised.join(" ");
  useEffect(() => {
    if (!isOpen) return;
    const decision = snapshot.decision ?? -1;
    if (before.current.decision !== decision) before.current = { decision, raised: now, isSent: false };
    const begins = isArmed || (now !== "" && now !== before.current.raised);
    if (!begins || before.current.isSent) return;
    before.current.isSent = true;
    wait();
  }, [isOpen, snapshot.decision, now, isArmed]);
}
