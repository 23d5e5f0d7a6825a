// The four rows: five places each, and the sixth that costs the row.
import { BullHead, cardWords, NumberCard } from "../../cards/nimmt";
import type { Choice } from "../../wire";
import { tell } from "../../words/nimmt";
import type { Shown } from "./frames";
import { FULL_ROW, landingOf, type Landing } from "./laying";

const SLOTS = [...Array(FULL_ROW + 1).keys()];

interface RowsProps {
  picture: Shown;
  aimed: number | null; // a card of the hand that is pointed at
  choices: Choice[];
  play: (action: string) => void;
}

export function Rows({ picture, aimed, choices, play }: RowsProps) {
  const landing = aimed === null ? null : landingOf(picture.rows, aimed);
  return (
    <ol class="nimmt-rows" aria-label={tell("rows")}>
      {picture.rows.map((_, row) => (
        <Lane
          picture={picture}
          row={row}
          aimed={aimed}
          landing={landing}
          choice={choices.find((one) => one.kind === "row" && one.row === row)}
          play={play}
        />
      ))}
    </ol>
  );
}

interface LaneProps {
  picture: Shown;
  row: number;
  aimed: number | null;
  landing: Landing | null;
  choice: Choice | undefined;
  play: (action: string) => void;
}

function Lane({ picture, row, aimed, landing, choice, play }: LaneProps) {
  const cards = picture.rows[row]!;
  const heads = picture.row_heads[row] ?? 0;
  const isTarget = landing?.row === row;
  const isFull = cards.length >= FULL_ROW;
  const classes = ["nimmt-lane"];
  if (isFull) classes.push("is-full");
  if (isTarget) classes.push(landing.taken.length ? "is-costly" : "is-target");
  if (landing?.row === -1) classes.push("is-maybe");
  if (choice) classes.push("is-lit");
  if (picture.stage?.laying?.row === row) classes.push("is-acting");
  const place = isTarget ? (isFull ? FULL_ROW : landing.place) : -1;
  return (
    <li class={classes.join(" ")} data-testid={`row-${row + 1}`}>
      <span class="hidden-label">
        {tell("row-of", { row: row + 1, n: heads, cards: cards.map(cardWords).join("; ") || tell("none") })}
      </span>
      <span class="nimmt-lane-number" aria-hidden="true">{row + 1}</span>
      {SLOTS.map((slot) => <Slot card={cards[slot]} slot={slot} ghost={slot === place ? aimed : null} />)}
      <span class="nimmt-lane-heads" aria-hidden="true" title={tell("n-heads", { n: heads })}>
        <BullHead /><b>{heads}</b>
      </span>
      {choice && (
        <button
          class="nimmt-take"
          data-choice={choice.text}
          data-testid={`take-${row + 1}`}
          onClick={() => play(choice.text)}
        >
          <span class="hidden-label">{choice.words}</span>
          <span class="nimmt-cost" aria-hidden="true">{tell("take-cost", { n: choice.heads ?? heads })} <BullHead /></span>
        </button>
      )}
    </li>
  );
}

function Slot({ card, slot, ghost }: { card: number | undefined; slot: number; ghost: number | null }) {
  const isSixth = slot === FULL_ROW;
  return (
    <div class={`nimmt-slot ${isSixth ? "is-sixth" : ""}`} aria-hidden="true">
      {card !== undefined ? (
        <div class="nimmt-laid" key={card} data-flight={`c${card}`} data-card={card}>
          <NumberCard card={card} isLabelled={false} />
        </div>
      ) : ghost !== null ? (
        <div class="nimmt-ghost"><NumberCard card={ghost} isLabelled={false} /></div>
      ) : (
        isSixth && <span>{tell("sixth")}</span>
      )}
    </div>
  );
}
