// Log, coach and scores: beside the table, or in a drawer on small screens.
import { useEffect, useRef } from "preact/hooks";
import { Coach } from "../coach";
import { CloseIcon } from "../icons";
import { nameOf, SeatName, withNames } from "../seats";
import { useSettings } from "../settings";
import type { TableDoor } from "../useTable";
import type { Snapshot, TableEvent, TableInfo } from "../wire";
import { number } from "../words";
import { say } from "../words/shell";
import { Beat } from "../dialogs";

export type Tab = "log" | "coach" | "scores";
const TABS: Tab[] = ["log", "coach", "scores"];

interface PanelProps {
  door: TableDoor;
  snapshot: Snapshot;
  tab: Tab;
  setTab: (tab: Tab) => void;
  isOpen: boolean;
  close: () => void;
}

export function Panel({ door, snapshot, tab, setTab, isOpen, close }: PanelProps) {
  const settings = useSettings();
  return (
    <aside class={`room-panel ${isOpen ? "is-open" : ""}`} aria-label={say("panel")}>
      <div class="room-tabs" role="tablist">
        {TABS.map((one) => (
          <button
            role="tab"
            id={`tab-${one}`}
            aria-selected={tab === one}
            aria-controls="panel-body"
            onClick={() => setTab(one)}
          >
            {say(one)}
          </button>
        ))}
        <button class="narrow-only" aria-label={say("close")} onClick={close}><CloseIcon /></button>
      </div>
      <div class="room-body" id="panel-body" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <div hidden={tab !== "log"}><Log events={door.log} table={snapshot.table} /></div>
        {tab === "coach" && (
          <Coach
            snapshot={snapshot}
            hint={door.hint}
            isAsking={door.isAsking}
            ask={door.ask}
            stop={door.stopAsking}
            play={door.play}
            settings={settings}
          />
        )}
        {tab === "scores" && <Scores snapshot={snapshot} />}
      </div>
      <div class="room-speed"><Beat /></div>
    </aside>
  );
}

function Log({ events, table }: { events: TableEvent[]; table: TableInfo }) {
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [events.length]);
  if (!events.length) return <p class="muted">{say("empty-log")}</p>;
  return (
    <ol class="log" aria-live="polite" aria-relevant="additions" data-testid="log">
      {events.slice(-200).map((event, i, all) => (
        <li key={event.number} ref={i === all.length - 1 ? end : undefined} class={event.begins_turn ? "begins" : ""}>
          {event.message && (
            <>
              {event.seat !== null && <b>{nameOf(table, event.seat)} </b>}
              {withNames(event.message.words, table)}
            </>
          )}
          {event.outcome.map((one) => <em>{withNames(one.words, table)}</em>)}
          {event.scores && <em>{scoreLine(event.scores, table)}</em>}
        </li>
      ))}
    </ol>
  );
}

function scoreLine(scores: number[], table: TableInfo): string {
  return scores.map((score, seat) => `${nameOf(table, seat)} ${number(score)}`).join(" · ");
}

function Scores({ snapshot }: { snapshot: Snapshot }) {
  const { table, scores } = snapshot;
  return (
    <>
      <table class="scores">
        <thead>
          <tr><th scope="col">{say("player")}</th><th scope="col">{table.unit}</th></tr>
        </thead>
        <tbody>
          {table.seats.map((seat, i) => (
            <tr class={seat.you ? "is-you" : ""}>
              <th scope="row"><SeatName seat={seat} /> <small class="muted">{seat.kind === "bot" ? seat.level : ""}</small></th>
              <td>{number(scores[i] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Commitment table={table} />
    </>
  );
}

function Commitment({ table }: { table: TableInfo }) {
  const { commitment, seed, salt } = table.fairness;
  return (
    <details class="commitment">
      <summary>{say("fairness")}</summary>
      <p>{say("commitment-before")} <code>{commitment}</code></p>
      {seed && <p>{say("commitment-after")} <code>{seed}</code> <code>{salt}</code></p>}
    </details>
  );
}
