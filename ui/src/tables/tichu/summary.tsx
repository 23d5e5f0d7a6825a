// The end of a round: card points, calls, double victory, and how the match stands.
import type { TichuPicture } from "../../wire";
import { number } from "../../words";
import { say } from "../../words/tichu";
import { nameAt, namesOf, sideWords, type Sight } from "./places";
import { callPoints, doubleVictory } from "./points";

const signed = (points: number) => (points > 0 ? `+${number(points)}` : number(points));

export function Summary({ sight, goOn }: { sight: Sight; goOn?: (() => void) | undefined }) {
  const { picture } = sight;
  const calls = callPoints(picture);
  const double = doubleVictory(picture);
  const ours = (sight.base % 2) as 0 | 1;
  const sides = [ours, 1 - ours] as (0 | 1)[];
  const row = (words: string, values: number[], isSum = false) => (
    <tr class={isSum ? "is-sum" : ""}>
      <th scope="row">{words}</th>
      {sides.map((side) => <td>{isSum ? number(values[side]!) : signed(values[side]!)}</td>)}
    </tr>
  );
  const cards = picture.points.map((points, side) => points - calls[side]!);
  const total = picture.total.map((points, side) => points + picture.points[side]!);
  return (
    <div class="ti-box ti-summary" role="group" aria-label={titleOf(picture)} data-testid="summary">
      <h2>{titleOf(picture)}</h2>
      <table>
        <thead><Heads sight={sight} sides={sides} /></thead>
        <tbody>
          {row(double === null ? say("card-points") : say("double-victory"), cards)}
          {(calls[0] !== 0 || calls[1] !== 0 || picture.calls.some(Boolean)) && row(say("calls"), calls)}
          {row(say("this-round"), picture.points)}
          {picture.target !== null && row(`${say("total")} (${say("to-target", { n: picture.target })})`, total, true)}
        </tbody>
      </table>
      <CallResults sight={sight} />
      {goOn && <button class="button primary" data-testid="go-on" onClick={goOn}>{say("continue")}</button>}
    </div>
  );
}

function Heads({ sight, sides }: { sight: Sight; sides: (0 | 1)[] }) {
  return (
    <tr>
      <td />
      {sides.map((side) => (
        <th scope="col">
          {sideWords(sight, side)}
          {sight.snapshot.table.you >= 0 && <small>{namesOf(sight, side)}</small>}
        </th>
      ))}
    </tr>
  );
}

function titleOf(picture: TichuPicture): string {
  return picture.phase === "over" ? say("match-over") : say("round-over", { n: picture.round });
}

function CallResults({ sight }: { sight: Sight }) {
  const { calls, out } = sight.picture;
  return (
    <ul>
      {calls.map((call, seat) =>
        call ? (
          <li class={out[seat] === 1 ? "is-made" : "is-lost"}>
            {say(out[seat] === 1 ? "call-won" : "call-lost", { name: nameAt(sight, seat), call: say(call) })}
          </li>
        ) : null,
      )}
    </ul>
  );
}
