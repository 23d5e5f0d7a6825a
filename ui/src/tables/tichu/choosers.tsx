// Questions in the middle of the table: calls, the wish, the Dragon.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { TichuCard } from "../../cards/tichu";
import type { Choice } from "../../wire";
import { cardWords, rankLabel, rankWord, say } from "../../words/tichu";
import { nameAt, seatAt, sideOf, type Sight } from "./places";

type Play = (text: string) => void;

interface BoxProps {
  title: string;
  why?: string;
  name: string;
  isGuard?: boolean; // it asks what the line above the table does not say
  children: ComponentChildren;
}

export function Box(props: BoxProps) {
  return (
    <div class={`ti-box ${props.isGuard ? "" : "is-prompted"}`} role="group" aria-label={props.title} data-testid={props.name}>
      <h2>{props.title}</h2>
      {props.why && <p>{props.why}</p>}
      {props.children}
    </div>
  );
}

/** Asks for a call that has to be answered. */
export function CallQuestion({ sight, play }: { sight: Sight; play: Play }) {
  const { choices } = sight.snapshot;
  const [isSure, setSure] = useState(false);
  const call = choices.find((choice) => choice.kind === "call");
  const no = choices.find((choice) => choice.kind === "no-call");
  if (!call || !no) return null;
  const kind = sight.picture.phase === "grand" ? "grand" : "tichu";
  if (isSure) return <Sure kind={kind} yes={() => play(call.text)} back={() => setSure(false)} />;
  return (
    <Box title={say(`${kind}-ask`)} why={say(`${kind}-why`)} name={`ask-${kind}`}>
      <div class="ti-buttons">
        <button class="button" data-choice={call.text} onClick={() => setSure(true)}>{say(`call-${kind}`)}</button>
        <button class="button primary" data-choice={no.text} onClick={() => play(no.text)}>{say("no")}</button>
      </div>
    </Box>
  );
}

/** The guard of a call. */
export function Sure(props: { kind: "grand" | "tichu"; yes: () => void; back: () => void }) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <Box title={say(`${props.kind}-sure`)} why={say(`${props.kind}-why`)} name="sure" isGuard>
      <div class="ti-buttons">
        <button class="button primary" data-testid="yes-call" onClick={props.yes}>{say("yes-call")}</button>
        <button class="button" ref={back} onClick={props.back}>{say("back")}</button>
      </div>
    </Box>
  );
}

export function WishChooser({ choices, play }: { choices: Choice[]; play: Play }) {
  const none = choices.find((choice) => choice.kind === "wish" && !choice.rank);
  return (
    <Box title={say("wish-ask")} why={say("wish-why")} name="ask-wish">
      <div class="ti-ranks">
        {choices.filter((choice) => choice.rank).map((choice) => (
          <button class="button" data-choice={choice.text} onClick={() => play(choice.text)}>
            <span class="hidden-label">{rankWord(choice.rank!)}</span>
            <span aria-hidden="true">{rankLabel(choice.rank!)}</span>
          </button>
        ))}
        {none && (
          <button class="button ti-none" data-choice={none.text} onClick={() => play(none.text)}>{say("no-wish")}</button>
        )}
      </div>
    </Box>
  );
}

export function DragonChooser({ sight, play }: { sight: Sight; play: Play }) {
  const given = sight.snapshot.choices.filter((choice) => choice.kind === "dragon");
  const at = (side: "left" | "right") => given.find((choice) => sideOf(sight, choice.seat!) === side);
  const button = (side: "left" | "right") => {
    const choice = at(side);
    if (!choice) return null;
    const name = nameAt(sight, choice.seat!);
    return (
      <button class="button" data-choice={choice.text} onClick={() => play(choice.text)}>
        {side === "left" && <span aria-hidden="true">←</span>}
        {say(`to-${side}`, { name })}
        {side === "right" && <span aria-hidden="true">→</span>}
      </button>
    );
  };
  return (
    <Box title={say("dragon-ask")} name="ask-dragon">
      <div class="ti-buttons">{button("left")}{button("right")}</div>
    </Box>
  );
}

/** What one got in the exchange, until one's first card. */
export function Got({ sight }: { sight: Sight }) {
  const { got } = sight.picture;
  if (got.every((card) => card === null)) return null;
  return (
    <div class="ti-got" data-testid="got" role="group" aria-label={say("got")}>
      <span class="ti-got-title">{say("got")}</span>
      {(["left", "top", "right"] as const).map((side) => {
        const card = got[{ right: 0, top: 1, left: 2 }[side]];
        const name = nameAt(sight, seatAt(sight, side));
        const from = say(`from-${side}`);
        return card ? (
          <span class="ti-gift" role="img" title={name} aria-label={`${cardWords(card)}, ${from}, ${name}`} data-card={card}>
            <span class="ti-laid"><TichuCard card={card} /></span>
            <small>{from}</small>
          </span>
        ) : null;
      })}
    </div>
  );
}
