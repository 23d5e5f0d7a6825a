// Choosing by keyboard among what may be clicked: elements with `data-choice`.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "./keys";

const FEW = 10; // as many as there are digits
const PAUSE = 900; // ms after which digits begin a new number
const PATIENCE = 1500; // ms after which one may click again, if nothing came of it

const WAYS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Moves the focus: digits to the first, second … choice, or to the one that is called by the
 * number that is typed if there are many; arrows to the next one in their direction.
 */
export function useChoiceKeys(root: RefObject<HTMLElement | null>, isChoosing: boolean): void {
  const typed = useRef({ text: "", at: 0 });
  const choices = () => [
    ...(root.current?.querySelectorAll<HTMLElement>("button[data-choice]:not(:disabled)") ?? []),
  ];
  const digit = (key: string) => {
    const all = choices();
    if (all.length <= FEW) return all[(Number(key) + 9) % 10]?.focus();
    const { text, at } = typed.current;
    typed.current = { text: Date.now() - at < PAUSE ? text + key : key, at: Date.now() };
    all.find((one) => one.dataset.choice === typed.current.text)?.focus();
  };
  const keys: Record<string, () => void> = {};
  for (const key of "1234567890") keys[key] = () => digit(key);
  for (const [key, way] of Object.entries(WAYS))
    keys[key] = () => {
      const all = choices();
      const now = all.find((one) => one === document.activeElement);
      (now ? nextIn(all, now, way) : all[0])?.focus();
    };
  useKeys(isChoosing ? keys : {});
}

function centre(one: HTMLElement): [number, number] {
  const { left, top, width, height } = one.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

/** The nearest element in a direction; what lies off its line counts as farther away. */
function nextIn(all: HTMLElement[], now: HTMLElement, [x, y]: [number, number]): HTMLElement | null {
  const [left, top] = centre(now);
  let best: HTMLElement | null = null;
  let least = Infinity;
  for (const one of all) {
    const [dx, dy] = [centre(one)[0] - left, centre(one)[1] - top];
    const ahead = dx * x + dy * y;
    const distance = ahead + 3 * Math.abs(dx * y + dy * x);
    if (ahead > 2 && distance < least) [best, least] = [one, distance];
  }
  return best;
}

/** Plays once, however often one clicks, and says what was played until something comes of it. */
export function usePlayedOnce(play: (action: string) => void, shown: unknown) {
  const [played, setPlayed] = useState<string | null>(null);
  useEffect(() => setPlayed(null), [shown]);
  useEffect(() => {
    if (played === null) return;
    const timer = setTimeout(() => setPlayed(null), PATIENCE);
    return () => clearTimeout(timer);
  }, [played]);
  const once = (action: string) => {
    if (played !== null) return;
    setPlayed(action);
    play(action);
  };
  return { play: once, played };
}
