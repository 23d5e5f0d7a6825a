// A table: players above, the game in the middle, log, coach and scores beside it.
import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "../router";
import { useKeys } from "../keys";
import { KeysDialog, Question, SettingsDialog } from "../dialogs";
import { CloseIcon, DoorIcon, GearIcon, KeysIcon, Logo, PanelIcon, SkipIcon } from "../icons";
import { useSettings } from "../settings";
import { tableOf } from "../tables";
import { useTable, type TableDoor } from "../useTable";
import type { Snapshot } from "../wire";
import { say } from "../words/shell";
import { EndDialog } from "./end";
import { Announcer, Panel, type Tab } from "./panel";
import { nameOf } from "../seats";
import { WaitingRoom } from "./waiting";
import "../style/table.css";

type Open = "" | "settings" | "keys" | "leave" | "end";

export function TablePage({ id }: { id: string }) {
  const table = useTable(id);
  const [open, setOpen] = useState<Open>("");
  const [tab, setTab] = useState<Tab>("log");
  const drawer = useDrawer();
  const isOver = table.shown?.table.status === "over";
  useEffect(() => {
    if (isOver) setOpen("end");
  }, [isOver]);
  useTitle(table.shown?.table.title);
  const askCoach = () => {
    setTab("coach");
    drawer.open();
    if (table.shown?.decision != null && !table.isAsking) table.ask();
  };
  useKeys({
    "?": () => setOpen("keys"),
    " ": table.isBehind ? table.hurry : undefined,
    h: askCoach,
    r: isOver ? () => go(`/t/${id}/review`) : undefined,
    Escape: drawer.isOpen ? drawer.close : undefined,
  });
  useAutoplay(table);
  if (table.connection === "gone") return <Gone why={table.why} />;
  if (!table.shown) return <Loading table={table} />;
  const snapshot = table.shown;
  return (
    <div class="room">
      <a class="skip-link" href="#content">{say("skip-to-content")}</a>
      <Header table={table} snapshot={snapshot} open={setOpen} drawer={drawer} />
      <main class="room-main" id="content" tabIndex={-1}>
        <Prompt table={table} snapshot={snapshot} askCoach={askCoach} showEnd={isOver ? () => setOpen("end") : null} />
        <div class="room-felt" data-testid="table"><Game table={table} snapshot={snapshot} /></div>
        <Announcer events={table.log} table={snapshot.table} />
      </main>
      <Panel door={table} snapshot={snapshot} tab={tab} setTab={setTab} isOpen={drawer.isOpen} close={drawer.close} />
      <Toast table={table} />
      <Opened open={open} close={() => setOpen("")} table={table} snapshot={snapshot} />
    </div>
  );
}

function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} – kibitz` : "kibitz";
  }, [title]);
}

interface Drawer {
  isOpen: boolean;
  open: () => void;
  close: () => void;
}

/** The panel on small screens; what had the focus gets it back. */
function useDrawer(): Drawer {
  const [isOpen, setOpen] = useState(false);
  const before = useRef<Element | null>(null);
  return {
    isOpen,
    open: () => {
      before.current = document.activeElement;
      setOpen(true);
    },
    close: () => {
      setOpen(false);
      (before.current as HTMLElement | null)?.focus?.();
    },
  };
}

function Opened(props: { open: Open; close: () => void; table: TableDoor; snapshot: Snapshot }) {
  const { open, close, table, snapshot } = props;
  if (open === "settings") return <SettingsDialog close={close} />;
  if (open === "keys") return <KeysDialog close={close} />;
  if (open === "end" && snapshot.table.status === "over") return <EndDialog snapshot={snapshot} close={close} />;
  if (open !== "leave") return null;
  const leave = () => void table.send({ do: "leave" }).then(() => go("/"));
  return <Question title={say("leave-sure")} yes={say("leave")} close={close} then={leave} />;
}

function Toast({ table }: { table: TableDoor }) {
  return (
    <div class={table.notice ? "toast" : "hidden-label"} role="status" data-testid="notice">
      {table.notice}
      {table.notice && (
        <button class="toast-close" aria-label={say("close")} onClick={table.dismiss}><CloseIcon /></button>
      )}
    </div>
  );
}

function Game({ table, snapshot }: { table: TableDoor; snapshot: Snapshot }) {
  const Table = tableOf(snapshot.table.name);
  const settings = useSettings();
  if (snapshot.table.status === "open") return <WaitingRoom table={snapshot.table} send={table.send} />;
  return (
    <Table
      key={snapshot.table.id}
      snapshot={snapshot}
      play={table.play}
      tryAction={table.tryAction}
      wait={table.wait}
      settings={settings}
      goOn={table.isBehind ? table.goOn : undefined}
    />
  );
}

function Header(props: {
  table: TableDoor;
  snapshot: Snapshot;
  open: (what: Open) => void;
  drawer: Drawer;
}) {
  const { table, snapshot, open, drawer } = props;
  const isPlaying = snapshot.table.you >= 0 && snapshot.table.status === "playing";
  return (
    <header class="room-head">
      <a class="top-brand" href="/" aria-label={say("home")}><Logo /></a>
      <h1>{snapshot.table.title}</h1>
      <Line table={table} />
      {table.isBehind && (
        <button class="button quiet small" title={say("skip-ahead")} aria-label={say("skip-ahead")} onClick={table.hurry}>
          <SkipIcon />
        </button>
      )}
      <button class="button quiet small wide-only" title={say("keys")} aria-label={say("keys")} onClick={() => open("keys")}>
        <KeysIcon />
      </button>
      <button class="button quiet small" title={say("settings")} aria-label={say("settings")} onClick={() => open("settings")}>
        <GearIcon />
      </button>
      <button
        class="button quiet small"
        title={say("leave")}
        aria-label={say("leave")}
        onClick={() => (isPlaying ? open("leave") : go("/"))}
      >
        <DoorIcon />
      </button>
      <button class="button quiet small narrow-only" title={say("open-panel")} aria-label={say("open-panel")} aria-expanded={drawer.isOpen} data-testid="open-panel" onClick={drawer.isOpen ? drawer.close : drawer.open}>
        <PanelIcon />
      </button>
    </header>
  );
}

function Line({ table }: { table: TableDoor }) {
  const words = table.connection === "open" ? say("connected") : say(table.connection);
  return (
    <span class={`room-line ${table.connection}`} title={words} data-testid="connection">
      <span class="room-dot" aria-hidden="true" />
      <span class={table.connection === "open" ? "hidden-label" : "wide-only"}>{words}</span>
    </span>
  );
}

function Prompt(props: {
  table: TableDoor;
  snapshot: Snapshot;
  askCoach: () => void;
  showEnd: (() => void) | null;
}) {
  const { table, snapshot } = props;
  const seat = snapshot.table.seats[snapshot.table.you];
  const isYours = snapshot.decision !== null && table.connection !== "lost";
  return (
    <div class={`room-prompt ${isYours ? "is-yours" : ""}`}>
      <p role="status" data-testid="prompt">{table.connection === "lost" ? say("lost") : promptOf(snapshot)}</p>
      {seat?.covered && (
        <button class="button small" data-testid="back" onClick={() => void table.send({ do: "back" })}>{say("take-back")}</button>
      )}
      {snapshot.claim && (
        <button class="button small" data-testid="claim" title={say("claim-about")}
          onClick={() => void table.send({ do: "claim" })}>{say("claim")}</button>
      )}
      {isYours && (
        <button class="button small room-hint" data-testid="hint" title={say("key-hint")} onClick={props.askCoach}>{say("hint")}</button>
      )}
      {props.showEnd && (
        <button class="button small" onClick={props.showEnd}>{say("show-result")}</button>
      )}
    </div>
  );
}

/** The next thing to do, or whom the table waits for. */
function promptOf(snapshot: Snapshot): string {
  const { table, prompt, waiting } = snapshot;
  if (prompt) return prompt;
  if (table.status === "open") return say("status-open");
  if (table.status === "over") return say("over");
  const others = waiting.filter((seat) => seat !== table.you);
  if (others.length > 2) return say("waiting-n", { n: others.length });
  if (others.length) return say("waiting", { names: others.map((one) => nameOf(table, one)).join(", ") });
  return table.you < 0 ? say("spectator") : " ";
}

function Loading({ table }: { table: TableDoor }) {
  return (
    <main class="room-alone">
      <Logo />
      <h1 class="hidden-label">kibitz</h1>
      <p role="status">{table.notice || say(table.connection === "lost" ? "lost" : "loading")}</p>
      <a href="/">{say("home")}</a>
    </main>
  );
}

function Gone({ why }: { why: string }) {
  return (
    <main class="room-alone">
      <Logo />
      <h1>{say("gone")}</h1>
      {why && <p role="alert">{why}</p>}
      <div class="dialog-buttons">
        <button class="button" onClick={() => location.reload()}>{say("open-here")}</button>
        <a class="button primary" href="/">{say("home")}</a>
      </div>
    </main>
  );
}

/** Plays the only legal action by itself, where that is wished. */
function useAutoplay(table: TableDoor): void {
  const { autoplay, beat } = useSettings();
  const { shown } = table;
  const only = shown?.choices.length === 1 ? shown.choices[0] : null;
  const decision = shown?.decision ?? null;
  useEffect(() => {
    if (!autoplay || !only || decision === null) return;
    const timer = setTimeout(() => table.play(only.text), Math.max(300, beat));
    return () => clearTimeout(timer);
  }, [autoplay, decision]);
}
