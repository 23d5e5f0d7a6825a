// The middle of the table: the trick, the blind before it is picked, and questions.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { FACE_DOWN } from "../../cards/french";
import { CardBack, FrenchCard } from "../../cards/frenchcard";
import { nameOf } from "../../seats";
import type { SheepheadPicture, TableInfo } from "../../wire";
import { say, spoken, takes } from "../../words/sheephead";
import { isNola, trickNumber, trickPoints } from "./state";

interface MiddleProps {
  picture: SheepheadPicture;
  table: TableInfo;
  places: number[];
  isLast: boolean;
  close: () => void;
  children: ComponentChildren;
}

export function Middle({ picture, table, places, isLast, close, children }: MiddleProps) {
  const gone = useFlight(picture);
  const nola = isNola(picture);
  if (isLast && picture.last) {
    const { cards, winner } = picture.last;
    return (
      <div class="sh-middle" data-testid="last" onClick={close}>
        <Cards cards={cards} winner={winner} places={places} table={table} nola={nola} />
        <div class="sh-caption">
          <b>{say("last-trick")}</b>
          <span>{takes(table, winner)}</span>
        </div>
      </div>
    );
  }
  const { trick } = picture;
  return (
    <div class="sh-middle" data-testid="trick">
      {children || <Waiting picture={picture} />}
      {trick && <Cards cards={trick.cards} winner={trick.winner} places={places} table={table} nola={nola} />}
      {gone && (
        <div class={`sh-flight to-${places[gone.winner]}`} aria-hidden="true">
          <Cards cards={gone.cards} winner={null} places={places} table={table} nola={nola} />
        </div>
      )}
      {trick && <Caption picture={picture} table={table} />}
    </div>
  );
}

/** What lies in the middle before cards are played, or between two tricks. */
function Waiting({ picture }: { picture: SheepheadPicture }) {
  const { phase } = picture;
  if (phase === "bid")
    return (
      <div class="sh-ask is-quiet">
        <div class="sh-slots" role="img" aria-label={say("blind")}><CardBack /><CardBack /></div>
        <span>{say("blind")}</span>
      </div>
    );
  const isFirst = picture.tricks.every((n) => n === 0) && picture.trick?.cards.every((card) => !card);
  if ((phase === "nola" || phase === "leaster") && isFirst)
    return (
      <div class="sh-ask sh-announce" role="status" data-testid="announce">
        <b>{say(phase)}</b>
        <p>{say(`${phase}-rule`)}</p>
      </div>
    );
  return null;
}

/** The suit that was led, points in the trick, who takes a full one. */
function Caption({ picture, table }: { picture: SheepheadPicture; table: TableInfo }) {
  const trick = picture.trick!;
  const isFull = trick.cards.every((card) => card !== null);
  const points = trickPoints(trick.cards);
  if (trick.winner === null)
    return <div class="sh-caption"><span>{say("trick-of", { trick: trickNumber(picture) })}</span></div>;
  return (
    <div class="sh-caption" data-testid="caption">
      <b>{isFull ? takes(table, trick.winner) : trick.led ? say("led-suit", { suit: trick.led }) : ""}</b>
      {!isNola(picture) && <span>{say("in-trick", { n: points })}</span>}
    </div>
  );
}

interface CardsProps {
  cards: (string | null)[];
  winner: number | null;
  places: number[];
  table: TableInfo;
  nola: boolean;
}

/** Each card before who played it; the one that takes the trick is marked. */
function Cards({ cards, winner, places, table, nola }: CardsProps) {
  return (
    <div class="sh-trick">
      {cards.map((card, seat) => {
        if (card === null) return null;
        const isBest = seat === winner;
        const label = `${nameOf(table, seat)}: ${spoken(card, nola)}${isBest ? `, ${say("winning")}` : ""}`;
        return (
          <div
            key={`${seat}-${card}`}
            class={`sh-laid at-${places[seat]} ${isBest ? "is-best" : ""} ${card === FACE_DOWN ? "is-unknown" : ""}`}
            role="img"
            aria-label={label}
            data-card={card}
            data-from={seat}
          >
            <FrenchCard card={card} plain={nola} />
          </div>
        );
      })}
    </div>
  );
}

const FLIGHT = 230; // ms, as in sheephead.css

/** The trick that has just been taken, as long as it flies to its taker. */
function useFlight(picture: SheepheadPicture): SheepheadPicture["last"] {
  const [gone, setGone] = useState<SheepheadPicture["last"]>(null);
  const before = useRef(picture);
  const { last, trick } = picture;
  const now = JSON.stringify(last);
  useEffect(() => {
    const was = before.current.trick;
    before.current = picture;
    const isTaken = was !== null && JSON.stringify(was.cards) === JSON.stringify(last?.cards);
    if (!isTaken || trick?.winner != null) return;
    setGone(last);
    const timer = setTimeout(() => setGone(null), FLIGHT);
    return () => clearTimeout(timer);
  }, [now, trick?.winner]);
  return document.documentElement.dataset.motion === "reduced" ? null : gone;
}
