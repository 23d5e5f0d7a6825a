// The line to a table: it comes back by itself after it was cut, and goes on where it stopped.
import type { ClientMessage, HintMessage, ServerMessage, Snapshot } from "./wire";

export type Connection = "connecting" | "open" | "lost" | "gone";
export type Tried = { ok: boolean; text: string; why: string };

type WithoutId<M> = M extends { id: number } ? Omit<M, "id"> : never;
export type Wish = WithoutId<ClientMessage>;

interface Listener {
  snapshot(told: Snapshot): void;
  hint(told: HintMessage): void;
  notice(words: string): void;
  connection(state: Connection, why: string): void;
}

interface Pending {
  message: ClientMessage;
  done: (answer: ServerMessage) => void;
}

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;

export class TableSocket {
  private socket: WebSocket | null = null;
  private pending = new Map<number, Pending>();
  private nextId = 1;
  private since = 0;
  private wait = FIRST_WAIT;
  private timer = 0;
  private closed = false;

  constructor(
    private readonly table: string,
    private readonly language: string,
    private readonly listener: Listener,
  ) {
    this.open();
    addEventListener("online", this.hurry);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    removeEventListener("online", this.hurry);
    this.socket?.close();
  }

  /** Sends a wish; the promise ends when the server has answered, also after a broken line. */
  send(wish: Wish): Promise<ServerMessage> {
    const message = { ...wish, id: this.nextId++ } as ClientMessage;
    return new Promise((done) => {
      this.pending.set(message.id, { message, done });
      if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    });
  }

  private open(): void {
    this.listener.connection("connecting", "");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const query = `since=${this.since}&language=${this.language}`;
    const socket = new WebSocket(
      `${scheme}://${location.host}/api/tables/${this.table}/socket?${query}`,
    );
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.connection("open", "");
      // A play names its decision, so that sending it twice does no harm.
      for (const { message } of this.pending.values()) socket.send(JSON.stringify(message));
    };
    socket.onmessage = (event) => this.receive(JSON.parse(String(event.data)) as ServerMessage);
    socket.onclose = () => this.reopenLater();
  }

  private reopenLater(): void {
    if (this.closed) return;
    this.listener.connection("lost", "");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.wait * (0.8 + 0.4 * Math.random()));
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  private hurry = (): void => {
    if (this.closed || this.socket?.readyState === WebSocket.OPEN) return;
    if (this.socket?.readyState === WebSocket.CONNECTING) return;
    clearTimeout(this.timer);
    this.wait = FIRST_WAIT;
    this.open();
  };

  private receive(told: ServerMessage): void {
    switch (told.is) {
      case "table":
        this.since = told.last_event;
        return this.listener.snapshot(told);
      case "hint":
        return this.listener.hint(told);
      case "notice":
        return this.listener.notice(told.words);
      case "gone":
        this.close();
        return this.listener.connection("gone", told.why);
      default:
        return this.answer(told);
    }
  }

  private answer(told: Extract<ServerMessage, { id: number | null }>): void {
    const waiting = told.id === null ? undefined : this.pending.get(told.id);
    if (told.id !== null) this.pending.delete(told.id);
    if (waiting) waiting.done(told);
    else if (told.is === "refused") this.listener.notice(told.why);
  }
}
