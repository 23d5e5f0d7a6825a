// The Sheephead table: four others around the trick, your hand below, questions in the middle.
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys";
import type { SheepheadPicture, Snapshot } from "../wire";
import type { TableProps } from "./props";
import { Ask } from "./sheephead/ask";
import { Bar } from "./sheephead/bar";
import { Hand } from "./sheephead/hand";
import { Result } from "./sheephead/result";
import { SeatPlate, YourPlate } from "./sheephead/seats";
import { buryOf, choiceOf, placesOf, raisable, raisedWith, readyChoice, type Draft } from "./sheephead/state";
import { Middle } from "./sheephead/trick";
import "../style/sheephead.css";
import "../style/sheephead-middle.css";
import "../style/sheephead-sizes.css";

export { sheepheadFrames } from "./sheephead/frames";

export default function SheepheadTable(props: TableProps) {
  const { picture } = props.snapshot;
  return picture.game === "sheephead" ? <Board {...props} picture={picture} /> : null;
}

const NOTHING: Draft = { raised: [], ace: null };

function Board(props: TableProps & { picture: SheepheadPicture }) {
  const { snapshot, picture } = props;
  const { table } = snapshot;
  const box = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState(NOTHING);
  const [isLast, setLast] = useState(false);
  const choices = props.readOnly ? [] : snapshot.choices;
  const isAsked = choices.length > 0;
  const question = choices.map((choice) => choice.text).join();
  useEffect(() => setDraft(NOTHING), [question]);
  const lastTrick = JSON.stringify(picture.last);
  useEffect(() => setLast(false), [lastTrick]);
  const places = placesOf(picture.order, table.you);
  const below = places.indexOf(0);
  const others = places.map((_, seat) => seat).filter((seat) => seat !== below);
  const choose = (card: string) => setDraft(drafted(draft, card, snapshot, props.play));
  const canSeeLast = picture.last !== null && picture.result === null;
  const isBetween = props.readOnly && picture.trick?.winner === null; // the last trick has just been taken
  const showsLast = canSeeLast && (isLast || Boolean(isBetween));
  const toggleLast = canSeeLast ? () => setLast(!isLast) : undefined;
  useTableKeys({ ...props, box, draft, isAsked, toggleLast, closeLast: isLast ? () => setLast(false) : undefined });
  return (
    <div class="sheephead" ref={box} data-phase={picture.phase} data-testid="sheephead">
      <div class="sh-board">
        <Bar picture={picture} table={table} />
        <div class="sh-arena">
          {others.map((seat) => (
            <SeatPlate key={seat} seat={seat} place={places[seat]!} picture={picture} table={table} />
          ))}
          <Middle picture={picture} table={table} places={places} isLast={showsLast} close={() => setLast(false)}>
            {isAsked && picture.trick === null && (
              <Ask picture={picture} choices={choices} draft={draft} setDraft={setDraft} play={props.play} />
            )}
          </Middle>
        </div>
        <YourPlate seat={below} picture={picture} table={table} toggleLast={toggleLast} isLast={isLast} />
        <Hand picture={picture} seat={below} table={table} choices={choices} raised={draft.raised} choose={choose} />
        {picture.result !== null && <Result picture={picture} table={table} goOn={props.goOn} />}
      </div>
    </div>
  );
}

/** Plays a card that may be played; raises or lowers one that a question asks for. */
function drafted(draft: Draft, card: string, snapshot: Snapshot, play: (action: string) => void): Draft {
  const choice = choiceOf(snapshot.choices, card);
  if (choice) {
    play(choice.text);
    return draft;
  }
  const most = snapshot.choices.some((one) => one.kind === "bury") ? 2 : 1;
  if (!raisable(snapshot.choices).has(card)) return draft;
  const raised = raisedWith(draft.raised, card, most);
  const isBlocked = raised.length === 2 && !buryOf(snapshot.choices, raised);
  return { ...draft, raised: isBlocked ? [card] : raised };
}

interface KeyProps extends TableProps {
  box: { current: HTMLDivElement | null };
  picture: SheepheadPicture;
  draft: Draft;
  isAsked: boolean;
  toggleLast: (() => void) | undefined;
  closeLast: (() => void) | undefined;
}

/** Digits and arrows move between what is lit, Enter presses it; raised cards are confirmed by Enter. */
function useTableKeys(props: KeyProps): void {
  const { box, picture, snapshot, isAsked, goOn } = props;
  const ready = isAsked ? readyChoice(snapshot.choices, props.draft) : undefined;
  const confirm = () => {
    const focused = document.activeElement;
    const isElsewhere = focused?.matches("button, a") && !focused.closest(".sh-hand");
    if (isElsewhere) (focused as HTMLElement).click();
    else if (ready) props.play(ready.text);
  };
  useKeys({
    ...(isAsked ? choosingKeys(box) : {}),
    ...(ready ? { Enter: confirm } : {}),
    ...(picture.result !== null && goOn ? { Enter: goOn } : {}),
    ...(props.closeLast ? { Escape: props.closeLast } : {}),
    l: props.toggleLast,
  });
}

/** Keys that move between what is lit, the hand first; a digit also raises or lowers a card. */
function choosingKeys(box: { current: HTMLDivElement | null }): Record<string, () => void> {
  const lit = () => {
    const found = [...(box.current?.querySelectorAll<HTMLElement>("[data-lit]") ?? [])];
    const isHeld = (one: HTMLElement) => one.closest(".sh-hand") !== null;
    return [...found.filter(isHeld), ...found.filter((one) => !isHeld(one))];
  };
  const move = (by: number) => () => {
    const found = lit();
    const now = found.indexOf(document.activeElement as HTMLElement);
    found[now < 0 ? (by > 0 ? 0 : found.length - 1) : (now + by + found.length) % found.length]?.focus();
  };
  const choose = (i: number) => () => {
    const found = lit()[i];
    found?.focus();
    if (found?.hasAttribute("aria-pressed")) found.click();
  };
  const digits = Array.from({ length: 9 }, (_, i) => [`${i + 1}`, choose(i)] as const);
  return {
    ...Object.fromEntries(digits),
    ...{ ArrowRight: move(1), ArrowDown: move(1), ArrowLeft: move(-1), ArrowUp: move(-1) },
  };
}
