// The end of a hand: who won, points and payments of everybody, what lay hidden.
import { sumOf } from "../../cards/french";
import { CardTile } from "../../cards/frenchcard";
import { SeatName, withNames } from "../../seats";
import type { SheepheadPicture, TableInfo } from "../../wire";
import { say, signed, spoken } from "../../words/sheephead";
import { roleOf, sidesOf } from "./state";

interface ResultProps {
  picture: SheepheadPicture;
  table: TableInfo;
  goOn: (() => void) | undefined;
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

export function Result({ picture, table, goOn }: ResultProps) {
  const words = capital(withNames(picture.result || say("nobody-picked"), table));
  return (
    <section class="sh-result panel" aria-label={words} data-testid="result">
      <h2>{words}</h2>
      <Balance picture={picture} />
      {picture.tricks.some((n) => n > 0) && <Payments picture={picture} table={table} />}
      <Hidden picture={picture} />
      {goOn && (
        <button class="button primary" data-testid="next-hand" data-lit onClick={goOn}>{say("next-hand")}</button>
      )}
    </section>
  );
}

function Payments({ picture, table }: { picture: SheepheadPicture; table: TableInfo }) {
  return (
    <table class="scores">
      <thead>
        <tr>
          <th scope="col">{say("player")}</th>
          <th scope="col">{say("points")}</th>
          <th scope="col">{say("tricks")}</th>
          <th scope="col">{say("paid")}</th>
          <th scope="col">{say("total")}</th>
        </tr>
      </thead>
      <tbody>
        {table.seats.map((_, seat) => <Row seat={seat} picture={picture} table={table} />)}
      </tbody>
    </table>
  );
}

function Row({ seat, picture, table }: { seat: number; picture: SheepheadPicture; table: TableInfo }) {
  const role = roleOf(picture, seat);
  const paid = picture.paid[seat]!;
  return (
    <tr class={seat === table.you ? "is-you" : ""}>
      <th scope="row">
        <SeatName seat={table.seats[seat]!} /> {role && <small class="badge">{say(role)}</small>}
      </th>
      <td>{picture.points[seat]}</td>
      <td>{picture.tricks[seat]}</td>
      <td class={paid < 0 ? "sh-loss" : paid > 0 ? "sh-gain" : ""}>{signed(paid)}</td>
      <td>{signed(picture.money[seat]!)}</td>
    </tr>
  );
}

/** The 120 points as a bar of two sides. */
function Balance({ picture }: { picture: SheepheadPicture }) {
  const sides = sidesOf(picture);
  if (!sides) return null;
  const words = say("of-120", { side: say("picker-side"), n: sides.picker });
  return (
    <div class="sh-balance" role="img" aria-label={words}>
      <b>{say("picker-side")} {sides.picker}</b>
      <b>{sides.others} {say("others")}</b>
      <span class="sh-balance-bar">
        <span style={{ width: `${(100 * sides.picker) / 120}%` }} />
      </span>
    </div>
  );
}

/** The bury, the card that lay face down, and a blind that nobody took. */
function Hidden({ picture }: { picture: SheepheadPicture }) {
  const { buried, blind, face_down } = picture;
  const unknown = face_down === "none" || face_down === "hidden" ? [] : [face_down];
  const piles = [
    ["buried", buried ?? []],
    ["unknown", unknown],
    ["blind", buried ? [] : (blind ?? [])],
  ] as const;
  return (
    <p class="sh-hidden">
      {piles.filter(([, cards]) => cards.length).map(([what, cards]) => (
        <span>
          {say(what)} {cards.map((card) => <CardTile card={card} label={spoken(card)} />)}
          {what === "buried" && <small> {say("n-points", { n: sumOf(cards) })}</small>}
        </span>
      ))}
    </p>
  );
}
