// Log, coach and scores: beside the table, or in a drawer on small screens.
import { useEffect, useRef } from "preact/hooks";
import { Check } from "../check";
import { Coach } from "../coach";
import { Autoplay, Beat } from "../dialogs";
import { CloseIcon } from "../icons";
import { scoreText } from "../opinions";
import { levelOf, nameOf, SeatName, withNames } from "../seats";
import { useSettings } from "../settings";
import type { TableDoor } from "../useTable";
import type { Snapshot, TableEvent, TableInfo } from "../wire";
import { unitName } from "../words";
import { say } from "../words/shell";

export type Tab = "log" | "coach" | "scores";
const TABS: Tab[] = ["log", "coach", "scores"];
const NARROW = "(max-width: 899px)"; // as in style/table.css
const MOST_LINES = 200;

interface PanelProps {
  door: TableDoor;
  snapshot: Snapshot;
  tab: Tab;
  setTab: (tab: Tab) => void;
  isOpen: boolean; // on small screens
  close: () => void;
}

export function Panel(props: PanelProps) {
  const { door, snapshot, tab, isOpen } = props;
  const settings = useSettings();
  return (
    <aside class={`room-panel ${isOpen ? "is-open" : ""}`} aria-label={say("panel")}>
      <Tabs {...props} />
      <div class="room-body" id="panel-body" role="tabpanel" tabIndex={0} aria-labelledby={`tab-${tab}`}>
        {tab === "log" && <Log events={door.log} table={snapshot.table} />}
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
      <div class="room-speed"><Beat /><Autoplay /></div>
    </aside>
  );
}

function Tabs({ tab, setTab, isOpen, close }: PanelProps) {
  const chosen = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOpen && matchMedia(NARROW).matches) chosen.current?.focus();
  }, [isOpen]);
  const turn = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    setTab(TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length]!);
    requestAnimationFrame(() => chosen.current?.focus());
  };
  return (
    <div class="room-tabs">
      <div role="tablist" aria-label={say("panel")} onKeyDown={turn}>
        {TABS.map((one) => (
          <button
            key={one}
            ref={one === tab ? chosen : undefined}
            role="tab"
            id={`tab-${one}`}
            data-testid={`tab-${one}`}
            tabIndex={one === tab ? 0 : -1}
            aria-selected={one === tab}
            aria-controls="panel-body"
            onClick={() => setTab(one)}
          >
            {say(one)}
          </button>
        ))}
      </div>
      <button class="button quiet small narrow-only" aria-label={say("close")} onClick={close}><CloseIcon /></button>
    </div>
  );
}

function Log({ events, table }: { events: TableEvent[]; table: TableInfo }) {
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [events.length]);
  if (!events.length) return <p class="muted">{say("empty-log")}</p>;
  return (
    <ol class="log" data-testid="log">
      {events.slice(-MOST_LINES).map((event, i, all) => (
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

/** Reads out what happens, whichever tab is open. */
export function Announcer({ events, table }: { events: TableEvent[]; table: TableInfo }) {
  return (
    <div class="hidden-label" role="log" aria-live="polite" aria-label={say("log")} data-testid="announcer">
      {events.slice(-8).map((event) => <p key={event.number}>{lineOf(event, table)}</p>)}
    </div>
  );
}

/** An event in one line of plain text. */
function lineOf(event: TableEvent, table: TableInfo): string {
  const who = event.seat === null || !event.message ? "" : `${nameOf(table, event.seat)} `;
  const told = [event.message, ...event.outcome].filter((one) => one !== null);
  return who + told.map((one) => withNames(one.words, table)).join(". ");
}

function scoreLine(scores: number[], table: TableInfo): string {
  return scores.map((score, seat) => `${nameOf(table, seat)} ${scoreText(score)}`).join(" · ");
}

function Scores({ snapshot }: { snapshot: Snapshot }) {
  const { table, scores } = snapshot;
  return (
    <>
      <table class="scores" data-testid="scores">
        <thead>
          <tr><th scope="col">{say("player")}</th><th scope="col">{unitName(table.unit)}</th></tr>
        </thead>
        <tbody>
          {table.seats.map((seat, i) => (
            <tr class={seat.you ? "is-you" : ""}>
              <th scope="row"><SeatName seat={seat} /> {seat.kind === "bot" && <small class="muted">{levelOf(seat)}</small>}</th>
              <td>{scoreText(scores[i] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Check table={table} />
    </>
  );
}
