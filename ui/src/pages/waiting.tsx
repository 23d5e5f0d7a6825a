// A table that has not begun: who sits where, the link for friends, the start.
import { useState } from "preact/hooks";
import { SeatName } from "../seats";
import type { TableDoor } from "../useTable";
import type { TableInfo } from "../wire";
import { say } from "../words/shell";

export function WaitingRoom({ table, send }: { table: TableInfo; send: TableDoor["send"] }) {
  const hasFree = table.seats.some((seat) => seat.kind === "open");
  return (
    <div class="waiting panel">
      <h2>{say("share-link")}</h2>
      <Link />
      <ul>
        {table.seats.map((seat, i) => (
          <li>
            <SeatName seat={seat} />
            {seat.kind === "open" && (
              <button class="button small" data-testid={`sit-${i}`} onClick={() => void send({ do: "sit", seat: i })}>
                {say("sit")}
              </button>
            )}
          </li>
        ))}
      </ul>
      {table.owner && (
        <button class="button primary" data-testid="start" onClick={() => void send({ do: "start" })}>
          {hasFree ? say("start-with-bots") : say("start")}
        </button>
      )}
    </div>
  );
}

function Link() {
  const [isCopied, setCopied] = useState(false);
  const address = location.href;
  const copy = () =>
    void navigator.clipboard?.writeText(address).then(() => setCopied(true), () => undefined);
  return (
    <div class="waiting-link">
      <input class="input" readOnly value={address} aria-label={say("share-link")} onFocus={(event) => event.currentTarget.select()} />
      <button class="button" onClick={copy}>{isCopied ? say("copied") : say("copy")}</button>
    </div>
  );
}
