// Players around the table: names, roles, cards left, what they have taken, money.
import { CardTile } from "../../cards/frenchcard";
import { SeatName } from "../../seats";
import type { SheepheadPicture, TableInfo } from "../../wire";
import { say, signed, spoken } from "../../words/sheephead";
import { isNola, roleOf } from "./state";

interface PlateProps {
  seat: number;
  picture: SheepheadPicture;
  table: TableInfo;
}

export function SeatPlate({ seat, place, picture, table }: PlateProps & { place: number }) {
  const isTurn = picture.turn === seat;
  const role = roleOf(picture, seat);
  return (
    <section
      class={`sh-seat at-${place} ${isTurn ? "is-turn" : ""} ${role ? "has-role" : ""}`}
      data-seat={seat}
      data-testid={`seat-${seat}`}
    >
      <div class="sh-head">
        <div class="sh-name">
          <SeatName seat={table.seats[seat]!} />
          {isTurn && <span class="hidden-label">, {say("is-turn")}</span>}
        </div>
        <Badges seat={seat} picture={picture} />
      </div>
      <Taken seat={seat} picture={picture} />
      <OpenHand seat={seat} picture={picture} />
    </section>
  );
}

/** Dealer, picker, partner, passed, queens that were shown. */
function Badges({ seat, picture }: { seat: number; picture: SheepheadPicture }) {
  const role = roleOf(picture, seat);
  const hasPassed = picture.phase === "bid" && picture.passed[seat];
  const { black, red } = picture.shown;
  return (
    <div class="sh-badges">
      {role && <span class={`sh-badge is-${role}`} data-testid={`role-${role}`}>{say(role)}</span>}
      {seat === picture.dealer && <span class="sh-badge is-dealer">{say("dealer")}</span>}
      {hasPassed && <span class="sh-badge">{say("passed")}</span>}
      {black === seat && <Queens cards={["QC", "QS"]} words={say("black-queens")} />}
      {red === seat && <Queens cards={["QH", "QD"]} words={say("red-queens")} />}
    </div>
  );
}

function Queens({ cards, words }: { cards: string[]; words: string }) {
  return (
    <span class="sh-queens" role="img" aria-label={say("queens", { cards: words })}>
      {cards.map((card) => <CardTile card={card} label="" />)}
    </span>
  );
}

/** Cards left, tricks and points taken, money. */
function Taken({ seat, picture }: { seat: number; picture: SheepheadPicture }) {
  const [cards, tricks] = [picture.counts[seat]!, picture.tricks[seat]!];
  const points = picture.points[seat]!;
  const isPlayed = picture.tricks.some((n) => n > 0);
  return (
    <div class="sh-taken">
      <span class="sh-left" title={say("n-cards", { n: cards })}>
        <span class="sh-back" aria-hidden="true" />
        <span aria-hidden="true">{cards}</span>
        <span class="hidden-label">{say("n-cards", { n: cards })}</span>
      </span>
      {isPlayed && (
        <span class="sh-won">
          {say("n-tricks", { n: tricks })}
          {!isNola(picture) && <span> · {points}<span class="hidden-label"> {say("points")}</span></span>}
        </span>
      )}
      <span class={`sh-money ${picture.money[seat]! < 0 ? "is-down" : ""}`} title={say("money")}>
        {say("cents", { n: signed(picture.money[seat]!) })}
      </span>
    </div>
  );
}

/** The cards of another seat, where they may be seen. */
function OpenHand({ seat, picture }: { seat: number; picture: SheepheadPicture }) {
  const hand = picture.hands[seat];
  if (!hand?.length) return null;
  return (
    <div class="sh-open" data-testid={`hand-${seat}`}>
      {hand.map((card) => <CardTile key={card} card={card} label={spoken(card, isNola(picture))} />)}
    </div>
  );
}

interface YourProps extends PlateProps {
  toggleLast: (() => void) | undefined;
  isLast: boolean;
}

/** Your own line, above your hand. */
export function YourPlate({ seat, picture, table, toggleLast, isLast }: YourProps) {
  const isTurn = picture.turn === seat;
  const isYours = seat === table.you;
  return (
    <div class={`sh-you ${isTurn ? "is-turn" : ""}`} data-seat={seat} data-testid={`seat-${seat}`}>
      <div class="sh-name"><SeatName seat={table.seats[seat]!} /></div>
      <Badges seat={seat} picture={picture} />
      <Taken seat={seat} picture={picture} />
      {isYours && <Away picture={picture} />}
      {toggleLast && (
        <button
          class="button small sh-last"
          aria-pressed={isLast}
          aria-keyshortcuts="l"
          onClick={toggleLast}
          data-testid="last-trick"
        >
          {say("last-trick")}
        </button>
      )}
    </div>
  );
}

/** What you have buried, and your card face down. */
function Away({ picture }: { picture: SheepheadPicture }) {
  const { buried, face_down, result } = picture;
  if (result !== null) return null;
  return (
    <>
      {buried && (
        <span class="sh-away" data-testid="buried">
          {say("buried")} {buried.map((card) => <CardTile card={card} label={spoken(card)} />)}
        </span>
      )}
      {face_down !== "none" && face_down !== "hidden" && (
        <span class="sh-away" data-testid="unknown">
          {say("unknown")} <CardTile card={face_down} label={spoken(face_down)} />
        </span>
      )}
    </>
  );
}
