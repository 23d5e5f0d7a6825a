// Keys of the Tichu table: ranks raise cards or are wished for, Enter plays, p passes, b is a bomb.
import { useKeys } from "../../keys";
import { RANKS } from "./cards";

export interface Doing {
  isActive: boolean; // cards can be raised
  rank: (rank: string) => void;
  enter: () => void;
  pass: (() => void) | undefined;
  bomb: (() => void) | undefined;
  drop: (() => void) | undefined;
}

export function useTichuKeys({ isActive, rank, enter, pass, bomb, drop }: Doing): void {
  const ranks = RANKS.map((one) => [one === "T" ? "0" : one.toLowerCase(), () => rank(one)] as const);
  useKeys({
    ...Object.fromEntries(ranks),
    "1": () => rank("Ma"),
    Enter: () => pressOr(enter),
    p: pass,
    b: bomb,
    Escape: drop,
    ArrowLeft: isActive ? focusHand : undefined,
    ArrowRight: isActive ? focusHand : undefined,
  });
}

/** Presses the button that has the focus; does the usual thing if none has, or a card. */
export function pressOr(usual: () => void): void {
  const focused = document.activeElement;
  const isButton = focused instanceof HTMLElement && focused.matches("button, a, summary");
  if (isButton && !focused.dataset.card) focused.click();
  else usual();
}

/** Moves into the hand, if nothing in it has the focus yet. */
function focusHand(): void {
  if (document.activeElement?.closest(".ti-hand")) return;
  document.querySelector<HTMLButtonElement>(".ti-hand button:not(:disabled)")?.focus();
}
