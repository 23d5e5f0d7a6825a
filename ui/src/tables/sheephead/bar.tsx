// The line above the table: which hand, who picked and called what, points of both sides, doubling.
import { CardTile } from "../../cards/frenchcard";
import { nameOf } from "../../seats";
import type { SheepheadPicture, TableInfo } from "../../wire";
import { say, spoken } from "../../words/sheephead";
import { calledSuit, sidesOf, timesOf } from "./state";

interface BarProps {
  picture: SheepheadPicture;
  table: TableInfo;
}

export function Bar({ picture, table }: BarProps) {
  const times = timesOf(picture);
  return (
    <div class="sh-bar" data-testid="bar">
      <span class="sh-chip">{say("hand", { number: picture.number, all: picture.hands_in_session })}</span>
      <Contract picture={picture} table={table} />
      <SidePoints picture={picture} />
      {picture.doubled > 0 && (
        <span class="sh-chip is-hot" data-testid="doubled">
          {say(picture.result === null ? "double" : "double-next", { n: picture.doubled })}
        </span>
      )}
      {picture.doublings > 0 && (
        <span class="sh-chip is-hot" data-testid="times">{say("pays-times", { times })}</span>
      )}
    </div>
  );
}

/** Who picked, and what was called. */
function Contract({ picture, table }: BarProps) {
  const { picker, phase, called } = picture;
  if (phase === "nola" || phase === "leaster")
    return <span class="sh-chip is-hot" data-testid="contract">{say(phase)}</span>;
  if (picker === null)
    return phase === "bid" ? <span class="sh-chip" data-testid="contract">{say("no-picker")}</span> : null;
  const isYou = picker === table.you;
  const name = nameOf(table, picker);
  if (!called) {
    const key = picture.alone ? (isYou ? "you-alone" : "picks-alone") : isYou ? "you-picked" : "picked";
    return <span class="sh-chip is-contract" data-testid="contract">{say(key, { name })}</span>;
  }
  return (
    <span class="sh-chip is-contract" data-testid="contract">
      {isYou ? say("you-call") : say("calls", { name })}{" "}
      <CardTile card={called} label={spoken(called)} />
      <span class="hidden-label">{say("called-suit", { suit: say(calledSuit(picture)!) })}</span>
      {picture.face_down !== "none" && <span class="sh-aside">{say("with-unknown")}</span>}
      <span class="sh-aside">{partnerWords(picture, table)}</span>
    </span>
  );
}

function partnerWords({ partner }: SheepheadPicture, table: TableInfo): string {
  if (partner === null) return say("partner-hidden");
  return partner === table.you ? say("partner-you") : say("partner-is", { name: nameOf(table, partner) });
}

/** Points of both sides, once one can tell who plays with whom. */
function SidePoints({ picture }: { picture: SheepheadPicture }) {
  const sides = sidesOf(picture);
  if (!sides || picture.result !== null) return null;
  return (
    <span class="sh-chip" data-testid="sides" title={say("sides")}>
      {say("picker-side")} <b>{sides.picker}</b>
      {!sides.isWhole && <span class="sh-aside">{say("and-bury")}</span>}
      <span class="sh-versus">{say("others")} <b>{sides.others}</b></span>
    </span>
  );
}

