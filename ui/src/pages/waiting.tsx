// A table that has not begun: who sits where, the link for friends, the start.
import { useState } from "preact/hooks";
import { ShareLink } from "../copy";
import { NameField } from "../name";
import { levelOf, SeatName } from "../seats";
import type { TableDoor } from "../useTable";
import type { Seat, TableInfo } from "../wire";
import { say } from "../words/shell";

export function WaitingRoom({ table, send }: { table: TableInfo; send: TableDoor["send"] }) {
  const free = table.seats.filter((seat) => seat.kind === "open").length;
  return (
    <section class="waiting panel" aria-labelledby="waiting" data-testid="waiting">
      <h2 id="waiting">{free ? say("free-n", { n: free }) : say("all-here")}</h2>
      {free > 0 && (
        <>
          <p class="muted">{say("share-link")}</p>
          <ShareLink address={location.origin + location.pathname} label={say("share-link")} />
        </>
      )}
      {table.owner && <ByLink isPrivate={table.private} send={send} />}
      {!table.owner && table.private && <p class="muted">{say("is-by-link")}</p>}
      {table.you < 0 && <NameField />}
      <ol class="waiting-seats">
        {table.seats.map((seat, i) => <Place key={i} seat={seat} at={i} isSeated={table.you >= 0} send={send} />)}
      </ol>
      {table.owner ? (
        <button class="button primary waiting-start" data-testid="start" onClick={() => void send({ do: "start" })}>
          {free ? say("start-with-bots") : say("start")}
        </button>
      ) : (
        <p class="muted">{say(table.you < 0 ? "sit-first" : "wait-for-owner")}</p>
      )}
    </section>
  );
}

/** Lets who made the table keep it out of the lobby; what is chosen shows before the server answers. */
function ByLink({ isPrivate, send }: { isPrivate: boolean; send: TableDoor["send"] }) {
  const [wanted, want] = useState<boolean | null>(null);
  const choose = (hidden: boolean) => {
    want(hidden);
    void send({ do: "hide", hidden }).finally(() => want(null));
  };
  return (
    <label class="waiting-private">
      <input type="checkbox" data-testid="private" checked={wanted ?? isPrivate}
        onChange={(event) => choose(event.currentTarget.checked)} />
      <span>{say("by-link")}</span>
    </label>
  );
}

function Place(props: { seat: Seat; at: number; isSeated: boolean; send: TableDoor["send"] }) {
  const { seat, at, isSeated, send } = props;
  return (
    <li class={seat.you ? "is-you" : ""}>
      <span class="waiting-number" aria-hidden="true">{at + 1}</span>
      <SeatName seat={seat} />
      {seat.kind === "bot" && <span class="badge">{levelOf(seat) || say("bot")}</span>}
      {seat.kind === "open" && (
        <button class={`button small ${isSeated ? "" : "primary"}`} data-testid={`sit-${at}`} onClick={() => void send({ do: "sit", seat: at })}>
          {say(isSeated ? "sit-here" : "sit")}<span class="hidden-label"> ({at + 1})</span>
        </button>
      )}
    </li>
  );
}
