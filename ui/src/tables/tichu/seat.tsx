// A player: name, cards, calls, place, tricks; and what lies before them.
import { TichuBack, TichuCard } from "../../cards/tichu";
import { SeatName } from "../../seats";
import { number } from "../../words";
import { cardWords, say } from "../../words/tichu";
import { nameAt, seatAt, type Side, type Sight } from "./places";

const isPlaying = (phase: string) => ["turn", "wish", "window", "dragon"].includes(phase);

export function SeatPanel({ sight, side }: { sight: Sight; side: Side }) {
  const { picture, snapshot } = sight;
  const seat = seatAt(sight, side);
  const isOn = picture.turn === seat || (picture.turn === null && snapshot.waiting.includes(seat));
  const count = picture.counts[seat]!;
  const answered = picture.answered[seat] && !isPlaying(picture.phase);
  return (
    <section
      class={`ti-seat ${isOn ? "is-on" : ""} ${picture.out[seat] ? "is-out" : ""}`}
      data-testid={`seat-${seat}`}
      aria-label={nameAt(sight, seat)}
    >
      <div class="ti-who">
        <SeatName seat={snapshot.table.seats[seat]!} />
        {isOn && <span class="hidden-label">{say("on-turn")}</span>}
      </div>
      <div class="ti-facts">
        {picture.out[seat] ? (
          <Place place={picture.out[seat]!} />
        ) : (
          <span class="ti-count" title={say("cards", { n: count })}>
            <span class="ti-count-back" aria-hidden="true"><TichuBack /></span>
            <span aria-hidden="true">{count}</span>
            <span class="hidden-label">{say("cards", { n: count })}</span>
          </span>
        )}
        <Call sight={sight} seat={seat} />
        {answered && (
          <span class="ti-check" title={say("answered")}>
            <span aria-hidden="true">✓</span>
            <span class="hidden-label">{say("answered")}</span>
          </span>
        )}
        <Won sight={sight} seat={seat} />
      </div>
    </section>
  );
}

function Place({ place }: { place: number }) {
  const words = say(`out-${place}` as "out-1");
  return <span class={`ti-place ti-place-${place}`} title={words}><b aria-hidden="true">{place}.</b> <span>{words}</span></span>;
}

function Call({ sight, seat }: { sight: Sight; seat: number }) {
  const call = sight.picture.calls[seat];
  if (!call) return null;
  const words = say("call-of", { name: nameAt(sight, seat), call: say(call) });
  return (
    <span class={`ti-call is-${call}`} title={words} data-testid={`call-${seat}`}>
      <span aria-hidden="true">{call === "grand" ? "G" : "T"}</span>
      <span class="hidden-label">{words}</span>
    </span>
  );
}

function Won({ sight, seat }: { sight: Sight; seat: number }) {
  const [tricks, points] = [sight.picture.tricks[seat]!, sight.picture.won[seat]!];
  if (!tricks) return null;
  const words = say("won", { tricks: say("tricks", { n: tricks }), points: say("points", { n: points }) });
  return (
    <span class="ti-won" title={words}>
      <span aria-hidden="true">{tricks} · {number(points)}</span>
      <span class="hidden-label">{words}</span>
    </span>
  );
}

/** What a player has laid in this trick, unless it is what is to be beaten. */
export function Before({ sight, side }: { sight: Sight; side: Side }) {
  const { picture } = sight;
  const seat = seatAt(sight, side);
  const cards = picture.holder === seat && picture.table ? null : picture.laid[seat];
  const passed = sight.passed.includes(seat);
  if (!cards && !passed) return null;
  return (
    <div class={`ti-before ${passed ? "has-passed" : ""}`}>
      {cards && <Row cards={cards} label={nameAt(sight, seat)} />}
      {passed && <span class="ti-pass" data-testid={`pass-${seat}`}>{say("passed")}</span>}
    </div>
  );
}

/** Cards in a row, face up, that nobody can click. */
export function Row(props: { cards: string[]; label: string; phoenix?: string | null }) {
  const words = props.cards.map((card) => cardWords(card, props.phoenix ?? null)).join(", ");
  return (
    <div class="ti-row" role="img" aria-label={`${props.label}: ${words}`} style={{ "--n": props.cards.length }}>
      {props.cards.map((card) => (
        <span class="ti-laid" key={card} data-card={card}>
          <TichuCard card={card} value={card === "Ph" ? props.phoenix : null} />
        </span>
      ))}
    </div>
  );
}

/** The open hand of another player. */
export function OpenHand({ sight, side }: { sight: Sight; side: Side }) {
  const seat = seatAt(sight, side);
  const hand = sight.picture.hands[seat];
  if (!hand?.length) return null;
  return (
    <div class="ti-open" data-testid={`hand-${seat}`}>
      <Row cards={hand} label={say("hand-of", { name: nameAt(sight, seat) })} />
    </div>
  );
}
