// The hand along the bottom: what may be played is lit, what is asked for can be raised.
import { useRef } from "preact/hooks";
import { CardBack, FrenchCard } from "../../cards/frenchcard";
import { nameOf } from "../../seats";
import type { Choice, SheepheadPicture, TableInfo } from "../../wire";
import { say, spoken } from "../../words/sheephead";
import { choiceOf, fromBlind, groupStarts, isNola, raisable } from "./state";

interface HandProps {
  picture: SheepheadPicture;
  seat: number; // who sits below
  table: TableInfo;
  choices: Choice[];
  raised: string[];
  choose: (card: string) => void;
}

export function Hand({ picture, seat, table, choices, raised, choose }: HandProps) {
  const isYours = seat === table.you;
  const fresh = useFromBlind(picture);
  const cards = isYours ? picture.hand : picture.hands[seat];
  if (!cards) return <Backs n={picture.counts[seat]!} />;
  const nola = isNola(picture);
  const starts = groupStarts(cards, nola);
  const canRaise = raisable(choices);
  const isChoosing = choices.some((one) => one.kind === "card") || canRaise.size > 0;
  return (
    <ul
      class={`sh-hand ${isChoosing ? "is-choosing" : ""}`}
      aria-label={isYours ? say("your-hand") : say("hand-of", { name: nameOf(table, seat) })}
      data-testid="hand"
    >
      {cards.map((card) => (
        <HandCard
          key={card}
          card={card}
          nola={nola}
          choice={choiceOf(choices, card)}
          isUp={canRaise.has(card) ? raised.includes(card) : null}
          kind={`${starts.has(card) ? "starts" : ""} ${fresh.has(card) ? "is-fresh" : ""}`}
          choose={choose}
        />
      ))}
    </ul>
  );
}

interface CardProps {
  card: string;
  nola: boolean;
  choice: Choice | undefined; // to play it
  isUp: boolean | null; // null: it cannot be raised
  kind: string;
  choose: (card: string) => void;
}

function HandCard({ card, nola, choice, isUp, kind, choose }: CardProps) {
  const isFresh = kind.includes("is-fresh");
  const label = spoken(card, nola) + (isFresh ? `, ${say("from-blind")}` : "");
  const shown = { class: "sh-face", "data-card": card, "data-tag": isFresh ? say("blind") : undefined };
  const face = <FrenchCard card={card} plain={nola} />;
  if (!choice && isUp === null)
    return <li class={`sh-card ${kind}`}><span role="img" aria-label={label} {...shown}>{face}</span></li>;
  return (
    <li class={`sh-card is-lit ${kind} ${isUp ? "is-up" : ""}`}>
      <button {...shown} aria-pressed={isUp ?? undefined} data-choice={choice?.text} data-lit onClick={() => choose(card)}>
        {face}
        <span class="hidden-label">{label}</span>
      </button>
    </li>
  );
}

/** The two cards that the picker has just taken, as long as he buries. */
function useFromBlind({ phase, hand }: SheepheadPicture): Set<string> {
  const dealt = useRef<string[]>([]);
  if (phase === "bid") dealt.current = hand;
  return fromBlind(phase === "bury" ? dealt.current : [], hand);
}

/** A hand that the viewer may not see. */
function Backs({ n }: { n: number }) {
  return (
    <ul class="sh-hand" aria-label={say("n-cards", { n })} data-testid="hand">
      {Array.from({ length: n }, (_, i) => (
        <li key={i} class="sh-card"><span class="sh-face"><CardBack /></span></li>
      ))}
    </ul>
  );
}
