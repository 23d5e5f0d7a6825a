// The Tichu table: four sides, raise-and-play, exchange, calls, wishes, bombs.
import { useState } from "preact/hooks";
import { useKeys } from "../keys";
import type { TichuPicture } from "../wire";
import { number } from "../words";
import { say } from "../words/tichu";
import PlainTable from "./plain";
import type { TableProps } from "./props";
import { Centre, Flight, LastTrick, Wish } from "./tichu/centre";
import { HiddenHand, ShownHand } from "./tichu/hand";
import { pressOr } from "./tichu/keys";
import { Own } from "./tichu/own";
import { nameAt, sideWords, type Side, type Sight } from "./tichu/places";
import { Before, OpenHand, SeatPanel } from "./tichu/seat";
import type { Trick } from "./tichu/story";
import { Summary } from "./tichu/summary";
import { useStory } from "./tichu/turn";
import "../style/tichu.css";
import "../style/tichu-boxes.css";
import "../style/tichu-sizes.css";

export { tichuFrames } from "./tichu/frames";

export default function TichuTable(props: TableProps) {
  const { picture } = props.snapshot;
  return picture.game === "tichu" ? <Table {...props} picture={picture} /> : <PlainTable {...props} />;
}

type Shown = TableProps & { picture: TichuPicture };

function Table(props: Shown) {
  const { snapshot, picture } = props;
  const { story, taken } = useStory(snapshot);
  const [isLastOpen, setLastOpen] = useState(false);
  const you = snapshot.table.you;
  const sight: Sight = {
    snapshot,
    picture,
    base: Math.max(you, 0),
    passed: picture.table ? story.passed : [],
    readOnly: props.readOnly ?? false,
  };
  useKeys({
    l: sight.readOnly ? undefined : () => setLastOpen(!isLastOpen),
    Escape: isLastOpen ? () => setLastOpen(false) : undefined,
  });
  const isOver = picture.phase === "wait" || picture.phase === "over";
  const isPlayer = !sight.readOnly && you >= 0;
  return (
    <div class={`ti is-${picture.phase}`} data-phase={picture.phase}>
      <div class="ti-grid">
        <ScoreBoard sight={sight} />
        <TopRight sight={sight} trick={story.last} toggle={() => setLastOpen(!isLastOpen)} />
        {OTHERS.map((side) => <Other sight={sight} side={side} />)}
        <div class="ti-centre">
          <Centre sight={sight} />
          <Flight sight={sight} trick={taken} />
        </div>
        <div class="ti-mine"><Before sight={sight} side="bottom" /></div>
        {isOver && picture.out.some((place) => place > 0) && (
          <Summary sight={sight} goOn={picture.phase === "wait" ? props.goOn : undefined} />
        )}
        {isLastOpen && <LastTrick sight={sight} trick={story.last} close={() => setLastOpen(false)} />}
        {isPlayer && !isOver ? <Own table={props} sight={sight} /> : <Onlooker sight={sight} goOn={props.goOn} />}
      </div>
    </div>
  );
}

const OTHERS: Side[] = ["top", "left", "right"];

function Other({ sight, side }: { sight: Sight; side: Side }) {
  return (
    <div class={`ti-side ti-${side}`}>
      <SeatPanel sight={sight} side={side} />
      <OpenHand sight={sight} side={side} />
      <Before sight={sight} side={side} />
    </div>
  );
}

function ScoreBoard({ sight }: { sight: Sight }) {
  const { picture, base } = sight;
  const sides = (base % 2 ? [1, 0] : [0, 1]) as (0 | 1)[];
  if (picture.target === null) return <div class="ti-score" />;
  return (
    <dl class="ti-score" data-testid="score" title={say("round", { n: picture.round })}>
      {sides.map((side) => (
        <div><dt>{sideWords(sight, side)}</dt><dd>{number(picture.total[side]!)}</dd></div>
      ))}
      <div class="ti-target"><dt class="hidden-label">{say("total")}</dt><dd>{say("to-target", { n: picture.target })}</dd></div>
    </dl>
  );
}

function TopRight(props: { sight: Sight; trick: Trick | null; toggle: () => void }) {
  const { phase, wish } = props.sight.picture;
  return (
    <div class="ti-corner">
      {!props.sight.readOnly && (
        <button class="button small ti-last-button" aria-keyshortcuts="l" disabled={!props.trick} onClick={props.toggle}>
          {say("last-trick")}
        </button>
      )}
      {!["wait", "over"].includes(phase) && <Wish rank={wish} />}
    </div>
  );
}

/** The side of somebody who only looks on. */
function Onlooker({ sight, goOn }: { sight: Sight; goOn: (() => void) | undefined }) {
  const hand = sight.picture.hands[sight.base];
  useKeys({ Enter: goOn && (() => pressOr(goOn)) });
  return (
    <>
      <div class="ti-bar is-alone"><SeatPanel sight={sight} side="bottom" /></div>
      {hand ? (
        <ShownHand cards={hand} label={say("hand-of", { name: nameAt(sight, sight.base) })} />
      ) : (
        <HiddenHand count={sight.picture.counts[sight.base]!} />
      )}
    </>
  );
}
