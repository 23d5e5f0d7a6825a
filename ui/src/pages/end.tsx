// The end of a game: who won, and where to go from here.
import { useState } from "preact/hooks";
import { again } from "../api";
import { Dialog } from "../dialogs";
import { scoreText } from "../opinions";
import { go } from "../router";
import { SeatName } from "../seats";
import type { Snapshot } from "../wire";
import { unitName } from "../words";
import { say } from "../words/shell";
import { placeOf, verdictOf } from "./verdict";

export function EndDialog({ snapshot, close }: { snapshot: Snapshot; close: () => void }) {
  const { table, scores } = snapshot;
  const [error, setError] = useState("");
  const order = scores.map((_, seat) => seat).sort((a, b) => scores[b]! - scores[a]!);
  const anew = (sameDeal: boolean) =>
    again(table.id, sameDeal).then(
      (made) => go(`/t/${made.id}`),
      (refusal: Error) => setError(say("went-wrong", { why: refusal.message })),
    );
  return (
    <Dialog title={verdictOf(table, scores)} close={close} name="end" keys={{ r: () => go(`/t/${table.id}/review`) }}>
      <table class="scores">
        <thead>
          <tr><th scope="col">{say("place")}</th><th scope="col">{say("player")}</th><th scope="col">{unitName(table.unit)}</th></tr>
        </thead>
        <tbody>
          {order.map((seat) => (
            <tr class={seat === table.you ? "is-you" : ""}>
              <td class="scores-place">{placeOf(scores, seat)}</td>
              <th scope="row"><SeatName seat={table.seats[seat]!} /></th>
              <td>{scoreText(scores[seat]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {error && <p class="error" role="alert">{error}</p>}
      <div class="dialog-buttons end-buttons">
        <a class="button primary" href={`/t/${table.id}/review`} data-testid="review" autofocus>{say("review")}</a>
        {table.secrets && (
          <button class="button" data-testid="same-deal" onClick={() => void anew(true)}>{say("same-deal")}</button>
        )}
        <button class="button" data-testid="new-game" onClick={() => void anew(false)}>{say("new-game")}</button>
        <button class="button quiet" onClick={close}>{say("look-around")}</button>
      </div>
    </Dialog>
  );
}
