// The hand along the bottom, and the open cards of a draft.
import { cardWords, NumberCard, NumberTile } from "../../cards/nimmt";
import type { Choice } from "../../wire";
import { tell } from "../../words/nimmt";
import type { Shown } from "./frames";
import { headsIn, landingOf } from "./laying";

const PHONE_ROW = 5; // cards beside each other on a phone
const FEW = 64; // cards of a draft that fit as tall tiles

interface HandProps {
  picture: Shown;
  cards: number[];
  choices: Choice[];
  played: string | null; // on its way to the server
  aim: (card: number | null) => void;
  play: (action: string) => void;
}

export function Hand({ picture, cards, choices, played, aim, play }: HandProps) {
  const half = cards.length > PHONE_ROW ? Math.ceil(cards.length / 2) : cards.length;
  return (
    <ul class="nimmt-hand" style={{ "--half": half }} aria-label={tell("your-hand")} data-testid="hand">
      {cards.map((card) => {
        const choice = choiceOf(choices, "card", card);
        return (
          <li key={card} data-flight={`c${card}`}>
            {choice ? (
              <button
                class={`nimmt-card ${played === choice.text ? "is-played" : ""}`}
                data-choice={choice.text}
                data-testid={`card-${card}`}
                onMouseEnter={() => aim(card)}
                onMouseLeave={() => aim(null)}
                onFocus={() => aim(card)}
                onBlur={() => aim(null)}
                onClick={() => play(choice.text)}
              >
                <span class="hidden-label">{choice.words}: {landingWords(picture.rows, card)}</span>
                <NumberCard card={card} isLabelled={false} />
              </button>
            ) : (
              <div class="nimmt-card"><NumberCard card={card} /></div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Where a card would lie now, in words. */
export function landingWords(rows: number[][], card: number): string {
  const { row, place, taken } = landingOf(rows, card);
  if (row < 0) return tell("lands-below");
  if (taken.length) return tell("lands-sixth", { row: row + 1, n: headsIn(taken) });
  return tell("lands", { row: row + 1, place: place + 1 });
}

interface PoolProps {
  picture: Shown;
  choices: Choice[];
  play: (action: string) => void;
}

/** The cards that may still be picked; those that are gone leave their place empty. */
export function Pool({ picture, choices, play }: PoolProps) {
  const open = new Set(picture.pool);
  const cards = Array.from({ length: picture.deck }, (_, i) => i + 1);
  return (
    <ul class={`nimmt-pool ${picture.deck > FEW ? "is-large" : ""}`} aria-label={tell("pool")} data-testid="pool">
      {cards.map((card) => {
        const choice = choiceOf(choices, "pick", card);
        if (!open.has(card)) return <li class="is-gone" aria-hidden="true" />;
        if (!choice)
          return (
            <li data-flight={`c${card}`}>
              <span class="hidden-label">{cardWords(card)}</span>
              <span aria-hidden="true"><NumberTile card={card} withHeads /></span>
            </li>
          );
        return (
          <li data-flight={`c${card}`}>
            <button data-choice={choice.text} data-testid={`pick-${card}`} onClick={() => play(choice.text)}>
              <span class="hidden-label">{choice.words}</span>
              <span aria-hidden="true"><NumberTile card={card} withHeads /></span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function choiceOf(choices: Choice[], kind: string, card: number): Choice | undefined {
  return choices.find((one) => one.kind === kind && one.cards?.[0] === card);
}
