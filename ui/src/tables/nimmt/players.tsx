// The players: who has chosen, what lies before them, what they have taken.
import { BullHead, CardBack, cardWords, NumberCard } from "../../cards/nimmt";
import { SeatName } from "../../seats";
import type { Snapshot } from "../../wire";
import { tell } from "../../words/nimmt";
import type { Shown } from "./frames";
import { headsIn } from "./laying";

export function Players({ snapshot, picture }: { snapshot: Snapshot; picture: Shown }) {
  const { seats } = snapshot.table;
  return (
    <ul class={`nimmt-players ${seats.length > 5 ? "many" : ""}`} aria-label={tell("players")}>
      {seats.map((_, seat) => <Player snapshot={snapshot} picture={picture} seat={seat} />)}
    </ul>
  );
}

function Player({ snapshot, picture, seat }: { snapshot: Snapshot; picture: Shown; seat: number }) {
  const { stage } = picture;
  const isActing = stage?.laying?.seat === seat;
  const classes = ["nimmt-player"];
  if (seat === snapshot.table.you) classes.push("is-you");
  if (isActing) classes.push("is-acting");
  if (!stage && snapshot.waiting.includes(seat)) classes.push("is-waited-for");
  return (
    <li class={classes.join(" ")} data-testid={`seat-${seat}`}>
      <div class="nimmt-place">
        <Chosen picture={picture} seat={seat} isYou={seat === snapshot.table.you} />
        {isActing && stage?.kind === "take" && <Haul cards={stage.laying!.taken} />}
      </div>
      <SeatName seat={snapshot.table.seats[seat]!} />
      <Heads picture={picture} seat={seat} />
    </li>
  );
}

function Chosen({ picture, seat, isYou }: { picture: Shown; seat: number; isYou: boolean }) {
  const card = picture.chosen[seat];
  if (card === null || card === undefined)
    return picture.phase === "choose" && !picture.stage ? <span class="hidden-label">{tell("choosing")}</span> : null;
  if (card === 0) return <CardBack label={tell("chosen")} />;
  const isTurning = picture.stage?.kind === "reveal" && !isYou;
  return (
    <div class={`nimmt-chosen ${isTurning ? "is-turning" : ""}`} data-flight={`c${card}`} title={cardWords(card)}>
      <NumberCard card={card} />
    </div>
  );
}

/** The row that somebody takes: it flies to them and is gone. */
function Haul({ cards }: { cards: number[] }) {
  return (
    <div class="nimmt-haul" aria-hidden="true">
      {cards.map((card) => (
        <div class="nimmt-chosen" data-flight={`c${card}`}><NumberCard card={card} isLabelled={false} /></div>
      ))}
      <strong>+{headsIn(cards)}</strong>
    </div>
  );
}

function Heads({ picture, seat }: { picture: Shown; seat: number }) {
  const taken = picture.taken[seat] ?? 0;
  const all = taken + (picture.total[seat] ?? 0);
  const isMatch = picture.match !== null;
  return (
    <span class="nimmt-heads">
      <span title={tell("heads-round", { n: taken })}>
        <BullHead /><b aria-hidden="true">{taken}</b>
        <span class="hidden-label">{tell("heads-round", { n: taken })}</span>
      </span>
      {isMatch && (
        <span class="nimmt-total" title={tell("heads-match", { n: all })}>
          <span aria-hidden="true">Σ {all}</span>
          <span class="hidden-label">{tell("heads-match", { n: all })}</span>
        </span>
      )}
    </span>
  );
}
