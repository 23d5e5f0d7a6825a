// The side of somebody who plays: questions, buttons, the hand.
import { useEffect, useState } from "preact/hooks";
import type { TableProps } from "../props";
import { Actions } from "./actions";
import { bombsIn } from "./cards";
import { CallQuestion, DragonChooser, Got, Sure, WishChooser } from "./choosers";
import { Exchange } from "./exchange";
import { Hand } from "./hand";
import { useTichuKeys } from "./keys";
import { offerOf, type Offer } from "./offer";
import type { Sight } from "./places";
import { SeatPanel } from "./seat";
import { listed, matches, nextBomb, toggle, toggleRank, useful } from "./selection";
import { useGifts, useOnce, useMoreTime, useSelection, useWindow, isLive, type Giving, type Selection } from "./turn";

interface OwnProps {
  table: TableProps;
  sight: Sight;
}

/** What the viewer has begun, and how it goes on. */
export interface Begun {
  raised: string[];
  isArmed: boolean; // the next moment for bombs waits
  isCalling: boolean; // Tichu, but not confirmed yet
  isHeld: boolean; // something is begun
  raise: (cards: string[]) => void;
  arm: (isArmed: boolean) => void;
  ask: (isCalling: boolean) => void;
  drop: () => void;
  play: (text: string) => void;
}

function useBegun({ table, sight }: OwnProps): Begun {
  const { hand, round } = sight.picture;
  const { snapshot } = table;
  const [wanted, raise] = useState<string[]>([]);
  const [isArmed, arm] = useState(false);
  const [isCalling, ask] = useState(false);
  const send = useOnce(snapshot, table.play);
  useEffect(() => raise([]), [round]);
  const raised = wanted.filter((card) => hand.includes(card));
  const drop = () => {
    raise([]);
    arm(false);
    ask(false);
  };
  const play = (text: string) => {
    drop();
    send(isLive(snapshot) ? text : listed(text, snapshot.choices));
  };
  const isHeld = isArmed || isCalling || raised.length > 0;
  return { raised, isArmed, isCalling, isHeld, raise, arm, ask, drop, play };
}

export function Own({ table, sight }: OwnProps) {
  const { picture, snapshot } = sight;
  const offer = offerOf(snapshot);
  const begun = useBegun({ table, sight });
  const giving = useGifts(snapshot, picture, table.play);
  const selection = useSelection(begun.raised, snapshot, table.tryAction);
  const lasts = useWindow(snapshot, table.settings.beat, begun.isHeld, () => offer.pass && begun.play(offer.pass.text));
  useMoreTime(snapshot, begun.raised, begun.isArmed, () => table.wait?.());
  const isGiving = offer.question === "give";
  const isActive = offer.mayRaise && !giving.isSent;
  useOwnKeys({ table, sight }, { offer, begun, giving, selection, isActive });
  const press = (card: string) => (isGiving ? giving.pressCard(card) : begun.raise(toggle(begun.raised, card)));
  return (
    <>
      <div class="ti-ask">
        <Questions table={table} sight={sight} offer={offer} begun={begun} giving={giving} />
        {!isGiving && <Got sight={sight} />}
      </div>
      <div class="ti-bar">
        <SeatPanel sight={sight} side="bottom" />
        <Actions
          offer={offer}
          selection={selection}
          begun={begun}
          lasts={lasts}
          bomb={bombsIn(picture.hand).length ? () => bombBy(offer, begun) : null}
          isPlaying={picture.phase === "turn" || picture.phase === "window"}
        />
      </div>
      <Hand
        cards={picture.hand}
        raised={isGiving ? giving.gifts.filter((card) => card !== null) : begun.raised}
        lit={picture.table && !isGiving ? useful(picture.hand, begun.raised, snapshot.choices) : new Set(picture.hand)}
        marked={picture.got}
        isActive={isActive}
        press={press}
        playAlone={(card) => playAlone(card, sight, begun)}
      />
    </>
  );
}

/** Plays a card that was clicked twice, if it may be played by itself. */
function playAlone(card: string, { snapshot }: Sight, begun: Begun): void {
  const found = matches([card], snapshot.choices)[0];
  if (found && begun.raised.every((one) => one === card)) begun.play(found.text);
}

/** Raises a bomb that may be laid; otherwise asks for the next moment for bombs. */
function bombBy({ bombs }: Offer, { raised, raise, isArmed, arm }: Begun): void {
  if (bombs.length) raise(nextBomb(raised, bombs));
  else arm(!isArmed);
}

interface QuestionProps extends OwnProps {
  offer: Offer;
  begun: Begun;
  giving: Giving;
}

function Questions({ sight, offer, begun, giving }: QuestionProps) {
  const { snapshot, picture } = sight;
  const { call } = offer;
  if (begun.isCalling && call)
    return <Sure kind="tichu" yes={() => begun.play(call.text)} back={() => begun.ask(false)} />;
  if (offer.question === "call")
    return <CallQuestion key={`${picture.phase} ${snapshot.decision}`} sight={sight} play={begun.play} />;
  if (offer.question === "give") return <Exchange sight={sight} giving={giving} />;
  if (offer.question === "wish") return <WishChooser choices={snapshot.choices} play={begun.play} />;
  return offer.question === "dragon" ? <DragonChooser sight={sight} play={begun.play} /> : null;
}

interface Doings {
  offer: Offer;
  begun: Begun;
  giving: Giving;
  selection: Selection;
  isActive: boolean;
}

function useOwnKeys({ table, sight }: OwnProps, { offer, begun, giving, selection, isActive }: Doings): void {
  const { hand } = sight.picture;
  const { pass, no, question } = offer;
  useTichuKeys({
    isActive,
    rank: (rank) => {
      const wish = table.snapshot.choices.find((choice) => choice.kind === "wish" && choice.rank === rank);
      if (wish) begun.play(wish.text);
      else if (isActive && question !== "give") begun.raise(toggleRank(hand, begun.raised, rank));
    },
    enter: () => {
      const found = selection.found[0];
      if (question === "give") giving.confirm();
      else if (begun.isCalling) return;
      else if (no) begun.play(no.text);
      else if (found && offer.isOn) begun.play(found.text);
      else table.goOn?.();
    },
    pass: pass && (() => begun.play(pass.text)),
    bomb: bombsIn(hand).length ? () => bombBy(offer, begun) : undefined,
    drop: begun.isHeld ? begun.drop : undefined,
  });
}
