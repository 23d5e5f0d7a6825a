// The table of 6 nimmt!: players above, the rows in the middle, the hand along the bottom.
import { useEffect, useRef, useState } from "preact/hooks";
import { useChoiceKeys, usePlayedOnce } from "../../choosing";
import { useFlights } from "../../flight";
import { useKeys } from "../../keys";
import { movesAllowed } from "../../settings";
import { tell } from "../../words/nimmt";
import PlainTable from "../plain";
import type { TableProps } from "../props";
import type { Shown } from "./frames";
import { Hand, landingWords, Pool } from "./hand";
import type { Laying } from "./laying";
import { Players } from "./players";
import { Rows } from "./rows";
import { LastTurn, OpenHands, RoundEnd, Tracker } from "./side";
import "../../style/nimmt.css";
import "../../style/nimmt-hand.css";
import "../../style/nimmt-side.css";
import "../../style/nimmt-wide.css";

export { nimmtFrames } from "./frames";

type Open = "" | "seen" | "hands" | "last";

const FLIGHT = 220; // ms

export default function NimmtTable(props: TableProps) {
  if (props.snapshot.picture.game !== "nimmt") return <PlainTable {...props} />;
  return <Table {...props} picture={props.snapshot.picture} />;
}

function Table({ snapshot, picture, settings, readOnly, goOn, ...props }: TableProps & { picture: Shown }) {
  const [aimed, aim] = useState<number | null>(null);
  const { open, toggle } = useLooks(readOnly ?? false);
  const moves = movesAllowed(settings) && settings.beat > 0;
  const root = useFlights(snapshot, moves ? (picture.stage?.flight ?? FLIGHT) : 0);
  const layings = useLayings(picture);
  const { play, played } = usePlayedOnce(props.play, snapshot);
  const { table } = snapshot;
  const choices = readOnly ? [] : snapshot.choices;
  const held = picture.hand.filter((card) => card !== picture.chosen[table.you]);
  const hasHands = picture.hands.some((hand, seat) => hand?.length && seat !== table.you);
  useEffect(() => aim(null), [snapshot]);
  useChoiceKeys(root, choices.length > 0);
  const target = aimed !== null && held.includes(aimed) ? aimed : null;
  return (
    <div class="nimmt-room">
      <div class={`nimmt ${table.you < 0 && !held.length ? "has-no-hand" : ""} ${open ? `shows-${open}` : ""}`} ref={root} data-phase={picture.phase}>
        <Bar picture={picture} open={open} toggle={toggle} hasHands={hasHands} />
        <Players snapshot={snapshot} picture={picture} />
        {picture.phase === "draft" ? (
          <Pool picture={picture} choices={choices} play={play} />
        ) : (
          <Rows picture={picture} aimed={target} choices={choices} play={play} />
        )}
        <div class="nimmt-side">
          {hasHands && <OpenHands picture={picture} table={table} />}
          {picture.phase !== "draft" && <Tracker picture={picture} />}
        </div>
        <p class="nimmt-landing" aria-hidden="true">{target !== null && `${target}: ${landingWords(picture.rows, target)}`}</p>
        <Hand picture={picture} cards={held} choices={choices} played={played} aim={aim} play={play} />
        {open === "last" && <LastTurn picture={picture} layings={layings} table={table} close={() => toggle("last")} />}
        {picture.stage?.kind === "round-end" && <RoundEnd picture={picture} table={table} goOn={goOn} />}
      </div>
    </div>
  );
}

/** What one looks up, if anything; in a review the letters belong to the page. */
function useLooks(isReview: boolean) {
  const [open, setOpen] = useState<Open>("");
  const toggle = (what: Open) => setOpen(open === what ? "" : what);
  useKeys({
    l: isReview ? undefined : () => toggle("last"),
    Escape: open ? () => setOpen("") : undefined,
  });
  return { open, toggle };
}

interface BarProps {
  picture: Shown;
  open: Open;
  toggle: (what: Open) => void;
  hasHands: boolean;
}

function Bar({ picture, open, toggle, hasHands }: BarProps) {
  const { match, round, turn, turns, phase } = picture;
  return (
    <div class="nimmt-bar">
      <span>
        {match !== null && `${tell("round", { round })} `}
        {match !== null && <span class="nimmt-target">{tell("to-heads", { heads: match })} </span>}
        {match !== null && "· "}
        {phase === "draft" ? tell("draft") : tell("turn", { turn, turns })}
      </span>
      {hasHands && (
        <button class="nimmt-look narrow-look" aria-pressed={open === "hands"} onClick={() => toggle("hands")}>{tell("hands")}</button>
      )}
      {phase !== "draft" && (
        <>
          <button class="nimmt-look narrow-look" aria-pressed={open === "seen"} data-testid="show-seen" onClick={() => toggle("seen")}>
            {tell("seen-title")}
          </button>
          <button class="nimmt-look" aria-pressed={open === "last"} data-testid="show-last" title="l" onClick={() => toggle("last")}>
            {tell("last")}
          </button>
        </>
      )}
    </div>
  );
}

/** The cards of the last turn as they were laid, as long as it is the last one. */
function useLayings(picture: Shown): Laying[] | undefined {
  const kept = useRef<{ turn: string; layings: Laying[] } | null>(null);
  const turn = `${picture.round}:${picture.last.join()}`;
  if (picture.layings && !picture.stage) kept.current = { turn, layings: picture.layings };
  return kept.current?.turn === turn ? kept.current.layings : undefined;
}
