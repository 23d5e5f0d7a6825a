// A table as its page knows it: what is shown, the log, the line to the server.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Playback } from "./playback";
import { settings } from "./settings";
import { TableSocket, type Connection, type Tried, type Wish } from "./socket";
import { framerOf } from "./tables";
import type { HintMessage, Snapshot, TableEvent } from "./wire";

interface TableState {
  shown: Snapshot | null;
  isBehind: boolean; // more is waiting to be shown
  log: TableEvent[];
  connection: Connection;
  why: string; // the table is gone
  notice: string;
  hint: HintMessage | null;
  isAsking: boolean;
  isSending: boolean;
}

export interface TableDoor extends TableState {
  send: (wish: Wish) => Promise<boolean>; // whether the server did it
  play: (action: string) => void;
  tryAction: (text: string) => Promise<Tried>;
  wait: () => void;
  ask: () => void;
  stopAsking: () => void;
  goOn: () => void;
  hurry: () => void;
  dismiss: () => void;
}

const FRESH: TableState = {
  shown: null,
  isBehind: false,
  log: [],
  connection: "connecting",
  why: "",
  notice: "",
  hint: null,
  isAsking: false,
  isSending: false,
};

/** Adds events that are not in the log yet. */
export function extended(log: TableEvent[], events: TableEvent[]): TableEvent[] {
  let last = log.at(-1)?.number ?? 0;
  const fresh = events.filter((event) => event.number > last && (last = event.number));
  return fresh.length ? [...log, ...fresh] : log;
}

export function useTable(id: string): TableDoor {
  const [state, setState] = useState(FRESH);
  const socket = useRef<TableSocket | null>(null);
  const change = (part: Partial<TableState>) => setState((now) => ({ ...now, ...part }));

  const playback = useMemo(() => {
    const show = (shown: Snapshot, isBehind: boolean) =>
      setState((now) => ({
        ...now,
        shown,
        isBehind,
        log: extended(now.log, shown.events),
        ...(shown.decision === now.shown?.decision ? {} : { hint: null, isAsking: false }),
      }));
    let game = "";
    const made = new Playback(
      () => framerOf(game),
      () => (document.hidden ? 0 : settings().beat),
      show,
    );
    return { push: (snapshot: Snapshot) => ((game = snapshot.table.name), made.push(snapshot)), made };
  }, [id]);

  useEffect(() => {
    const line = new TableSocket(id, settings().language, {
      snapshot: playback.push,
      hint: (hint) =>
        setState((now) => (hint.decision === now.shown?.decision ? { ...now, hint } : now)),
      notice: (notice) => change({ notice }),
      connection: (connection, why) => change({ connection, why }),
    });
    socket.current = line;
    const wake = () => document.hidden || playback.made.hurry();
    document.addEventListener("visibilitychange", wake);
    return () => {
      document.removeEventListener("visibilitychange", wake);
      line.close();
      playback.made.stop();
    };
  }, [id]);

  useEffect(() => {
    if (!state.notice || !state.shown) return; // what one waits for stays in sight
    const timer = setTimeout(() => change({ notice: "" }), 6000);
    return () => clearTimeout(timer);
  }, [state.notice, state.shown === null]);

  async function send(wish: Wish): Promise<boolean> {
    change({ isSending: true });
    const answer = await socket.current!.send(wish);
    change({ isSending: false, ...(answer.is === "refused" ? { notice: answer.why } : {}) });
    return answer.is === "done";
  }

  async function tryAction(text: string): Promise<Tried> {
    const answer = await socket.current!.send({ do: "try", action: text });
    if (answer.is === "tried")
      return { ok: answer.ok, text: answer.text ?? "", why: answer.why ?? "" };
    return { ok: false, text: "", why: answer.is === "refused" ? answer.why : "" };
  }

  return {
    ...state,
    send,
    tryAction,
    play: (action) =>
      void send({ do: "play", decision: state.shown?.decision ?? null, action }),
    wait: () => void send({ do: "wait" }),
    ask: () => {
      change({ isAsking: true });
      void send({ do: "hint" });
    },
    stopAsking: () => {
      change({ isAsking: false });
      void send({ do: "stop-hint" });
    },
    goOn: () => playback.made.goOn(),
    hurry: () => playback.made.hurry(),
    dismiss: () => change({ notice: "" }),
  };
}
