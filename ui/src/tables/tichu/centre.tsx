// The middle of the table: what is to be beaten, the wish, and tricks on their way.
import type { TichuPicture } from "../../wire";
import { cardWords, combinationWords, rankLabel, rankWord, say } from "../../words/tichu";
import { combinationOf } from "./cards";
import { isYou, nameAt, sideOf, type Sight } from "./places";
import { Row } from "./seat";
import type { Trick } from "./story";

export function Centre({ sight }: { sight: Sight }) {
  const { picture } = sight;
  const { table, holder } = picture;
  if (!table || holder === null) return <EmptyTable sight={sight} />;
  const words = wordsOf(table);
  const by = isYou(sight, holder) ? say("by-you") : say("by-name", { name: nameAt(sight, holder) });
  return (
    <div class="ti-combination" data-testid="combination" data-holder={holder}>
      <div class={`ti-comes is-${table.kind} from-${sideOf(sight, holder)}`} key={table.cards.join(" ")}>
        <Row cards={table.cards} phoenix={table.phoenix} label={words} />
      </div>
      <p class="ti-words" aria-hidden="true">
        <b>{words}</b> <span>{by}</span>
      </p>
      {picture.trick_points !== 0 && <p class="ti-worth">{say("trick-worth", { n: picture.trick_points })}</p>}
    </div>
  );
}

/** The Phoenix alone is told by the server: above which rank it lies. */
function wordsOf({ cards, phoenix, words }: NonNullable<TichuPicture["table"]>): string {
  if (cards.length === 1 && cards[0] !== "Ph") return cardWords(cards[0]!);
  return words || combinationWords(combinationOf(cards, phoenix));
}

function EmptyTable({ sight }: { sight: Sight }) {
  const { phase, turn } = sight.picture;
  if (phase !== "turn" || turn === null) return null;
  const words = isYou(sight, turn) ? say("you-lead") : say("leads", { name: nameAt(sight, turn) });
  return <p class="ti-lead">{words}</p>;
}

export function Wish({ rank }: { rank: string | null }) {
  if (!rank) return null;
  return (
    <div class="ti-wish" data-testid="wish" title={say("wish-why")}>
      <span aria-hidden="true">{say("wish")}</span>
      <b aria-hidden="true">{rankLabel(rank)}</b>
      <span class="hidden-label">{say("wish-for", { rank: rankWord(rank) })}</span>
    </div>
  );
}

/** The last combination of a trick, on its way to who takes it. */
export function Flight({ sight, trick }: { sight: Sight; trick: Trick | null }) {
  const top = trick?.plays.at(-1);
  if (!trick || !top) return null;
  return (
    <div class={`ti-flight to-${sideOf(sight, trick.taker)}`} key={trick.number} aria-hidden="true">
      <Row cards={top.cards} phoenix={top.phoenix} label="" />
    </div>
  );
}

export function LastTrick({ sight, trick, close }: { sight: Sight; trick: Trick | null; close: () => void }) {
  return (
    <div class="ti-box ti-last" role="dialog" aria-label={say("last-trick")} data-testid="last-trick">
      <h2>{say("last-trick")}</h2>
      {trick ? (
        <>
          <ol style={{ "--rows": rowsOf(trick) }}>
            {trick.plays.map((play) => (
              <li>
                <span>{nameAt(sight, play.seat)}</span>
                <Row cards={play.cards} phoenix={play.phoenix} label={nameAt(sight, play.seat)} />
              </li>
            ))}
          </ol>
          <p>{say("taken-by", { name: nameAt(sight, trick.taker), points: say("points", { n: trick.points }) })}</p>
        </>
      ) : (
        <p>{say("no-last-trick")}</p>
      )}
      <button class="button small" onClick={close}>{say("close")}</button>
    </div>
  );
}

/** Long tricks stand in two columns. */
function rowsOf({ plays }: Trick): number {
  return plays.length > 6 ? Math.ceil(plays.length / 2) : plays.length;
}
