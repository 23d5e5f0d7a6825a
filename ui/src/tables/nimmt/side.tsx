// What one looks up: cards seen, open hands, the last turn, the end of a round.
import type { ComponentChildren } from "preact";
import { BullHead, cardWords, NumberCard, NumberTile } from "../../cards/nimmt";
import { CloseIcon } from "../../icons";
import { nameOf, SeatName } from "../../seats";
import type { TableInfo } from "../../wire";
import { say } from "../../words/shell";
import { tell } from "../../words/nimmt";
import { takenWords, type Shown } from "./frames";
import type { Laying } from "./laying";

/** All cards of the deck: those that have lain on the table, one's own, and the rest. */
export function Tracker({ picture }: { picture: Shown }) {
  const seen = new Set(picture.seen);
  const mine = new Set(picture.hand);
  const cards = Array.from({ length: picture.deck }, (_, i) => i + 1);
  const out = cards.filter((card) => !seen.has(card) && !mine.has(card));
  const stateOf = (card: number) => (seen.has(card) ? "is-gone" : mine.has(card) ? "is-mine" : "is-out");
  return (
    <section class="nimmt-tracker" aria-label={tell("seen-title")} data-testid="tracker">
      <p class="hidden-label">{tell("seen-list", { cards: out.join(", ") || tell("none") })}</p>
      <div class="nimmt-cells" aria-hidden="true">
        {cards.map((card) => <span class={stateOf(card)}><NumberTile card={card} /></span>)}
      </div>
      <p class="nimmt-legend" aria-hidden="true">
        <span class="is-out">{tell("seen-out")}</span>
        {mine.size > 0 && <span class="is-mine">{tell("seen-mine")}</span>}
        <span class="is-gone">{tell("seen-gone")}</span>
      </p>
    </section>
  );
}

export function OpenHands({ picture, table }: { picture: Shown; table: TableInfo }) {
  return (
    <section class="nimmt-open-hands" aria-label={tell("hands")} data-testid="hands">
      {picture.hands.map((hand, seat) =>
        hand && seat !== table.you ? (
          <div>
            <span aria-hidden="true">{nameOf(table, seat)}</span>
            <ul aria-label={tell("hand-of", { name: nameOf(table, seat) })}>
              {hand.map((card) => (
                <li data-flight={`c${card}`} title={cardWords(card)}><NumberTile card={card} /></li>
              ))}
            </ul>
          </div>
        ) : null,
      )}
    </section>
  );
}

function Sheet(props: { title: string; close?: () => void; name: string; children: ComponentChildren }) {
  return (
    <section class="nimmt-sheet" aria-label={props.title} data-testid={props.name}>
      <header>
        <h2>{props.title}</h2>
        {props.close && (
          <button class="button quiet small" aria-label={say("close")} onClick={props.close}><CloseIcon /></button>
        )}
      </header>
      {props.children}
    </section>
  );
}

interface LastTurnProps {
  picture: Shown;
  layings: Laying[] | undefined; // if the page saw them laid
  table: TableInfo;
  close: () => void;
}

export function LastTurn({ picture, layings, table, close }: LastTurnProps) {
  const lines = layings?.map((one) => ({ ...one, words: layingWords(one, table) })) ?? linesOf(picture);
  return (
    <Sheet title={tell("last")} close={close} name="last-turn">
      {lines.length === 0 && <p class="muted">{tell("no-last")}</p>}
      <ol class="nimmt-last">
        {lines.map(({ seat, card, words }) => (
          <li>
            <div class="nimmt-small"><NumberCard card={card} /></div>
            <b><SeatName seat={table.seats[seat]!} /></b>
            <span>{words}</span>
          </li>
        ))}
      </ol>
    </Sheet>
  );
}

function layingWords(laying: Laying, table: TableInfo): string {
  return laying.taken.length ? takenWords(laying, table) : tell("at-row", { row: laying.row + 1 });
}

/** The last turn as far as the table still shows it. */
function linesOf({ last, rows }: Shown): { seat: number; card: number; words: string }[] {
  return last
    .flatMap((card, seat) => (card ? [{ seat, card, words: whereWords(rows, card) }] : []))
    .sort((a, b) => a.card - b.card);
}

function whereWords(rows: number[][], card: number): string {
  const row = rows.findIndex((cards) => cards.includes(card));
  if (row < 0) return tell("taken-since");
  return tell(rows[row]![0] === card ? "took-row" : "at-row", { row: row + 1 });
}

export function RoundEnd({ picture, table, goOn }: { picture: Shown; table: TableInfo; goOn: (() => void) | undefined }) {
  const all = picture.taken.map((n, seat) => n + (picture.total[seat] ?? 0));
  const order = all.map((_, seat) => seat).sort((a, b) => all[a]! - all[b]!);
  return (
    <Sheet title={tell("round-over", { round: picture.round })} name="round-end">
      <table class="scores">
        <thead>
          <tr><th scope="col">{say("player")}</th><th scope="col">{tell("this-round")}</th><th scope="col">{tell("in-all")}</th></tr>
        </thead>
        <tbody>
          {order.map((seat) => (
            <tr class={seat === table.you ? "is-you" : ""}>
              <th scope="row"><SeatName seat={table.seats[seat]!} /></th>
              <td>{picture.taken[seat]} <BullHead /></td>
              <td>{all[seat]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {goOn && <button class="button primary" data-testid="go-on" onClick={goOn}>{tell("go-on")}</button>}
    </Sheet>
  );
}
