// The viewer's hand: cards that can be raised.
import { useRef } from "preact/hooks";
import { TichuBack, TichuCard } from "../../cards/tichu";
import { cardWords, say } from "../../words/tichu";

interface HandProps {
  cards: string[];
  raised: string[];
  lit: Set<string>; // cards that are of use now
  marked: (string | null)[]; // cards that one has just got
  isActive: boolean;
  press: (card: string) => void;
  playAlone: (card: string) => void;
}

export function Hand({ cards, raised, lit, marked, isActive, press, playAlone }: HandProps) {
  const box = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent, at: number) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -at, End: cards.length - 1 - at }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = box.current!.querySelectorAll<HTMLButtonElement>("button");
    buttons[(at + step + cards.length) % cards.length]?.focus();
  };
  return (
    <div
      ref={box}
      class={`ti-hand ${isActive ? "is-active" : ""}`}
      role="group"
      aria-label={say("hand")}
      data-testid="hand"
      style={sizes(cards)}
    >
      {cards.map((card, at) => (
        <button
          key={card}
          type="button"
          class={`ti-card ${lit.has(card) || !isActive ? "" : "is-dim"} ${marked.includes(card) ? "is-new" : ""}`}
          data-card={card}
          aria-pressed={raised.includes(card)}
          disabled={!isActive}
          onClick={() => press(card)}
          onDblClick={() => playAlone(card)}
          onKeyDown={(event) => move(event, at)}
        >
          <span class="hidden-label">{cardWords(card)}</span>
          <TichuCard card={card} />
        </button>
      ))}
    </div>
  );
}

/** On phones more than seven cards lie in two rows. */
function sizes(cards: string[]) {
  const n = cards.length;
  return { "--n": n, "--columns": n > 7 ? Math.ceil(n / 2) : n };
}

/** The same hand, only to look at. */
export function ShownHand({ cards, label }: { cards: string[]; label: string }) {
  const words = cards.map((card) => cardWords(card)).join(", ");
  return (
    <div class="ti-hand" role="img" aria-label={`${label}: ${words}`} data-testid="hand" style={sizes(cards)}>
      {cards.map((card) => (
        <span class="ti-card" key={card} data-card={card}><TichuCard card={card} /></span>
      ))}
    </div>
  );
}

/** A hand that is hidden from the viewer. */
export function HiddenHand({ count }: { count: number }) {
  const backs = Array.from({ length: count }, (_, at) => `${at}`);
  return (
    <div class="ti-hand is-hidden" aria-hidden="true" style={sizes(backs)}>
      {backs.map((at) => <span class="ti-card" key={at}><TichuBack /></span>)}
    </div>
  );
}
