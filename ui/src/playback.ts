// Shows what comes in one after the other, so that one sees who played what.
import type { Frame, Framer } from "./tables/props";
import type { Snapshot } from "./wire";

const MANY = 40; // frames behind which the past is not worth watching

export class Playback {
  private waiting: Frame[] = [];
  private newest: Snapshot | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly framer: () => Framer,
    private readonly beat: () => number,
    private readonly show: (snapshot: Snapshot, isBehind: boolean) => void,
  ) {}

  push(snapshot: Snapshot): void {
    const frames = this.framer()(this.newest, snapshot, this.beat());
    this.newest = snapshot;
    this.waiting.push(...frames);
    if (this.waiting.length > MANY) this.hurry();
    else if (this.timer === null) this.next();
  }

  /** Shows the next step at once. */
  goOn(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.next();
  }

  /** Shows the present state at once, with all that happened on the way. */
  hurry(): void {
    const last = this.waiting.at(-1)?.snapshot;
    const events = this.waiting.flatMap((frame) => frame.snapshot.events);
    this.stop();
    if (last) this.show({ ...last, events }, false);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.waiting = [];
  }

  private next(): void {
    const frame = this.waiting.shift();
    if (!frame) return;
    this.show(frame.snapshot, this.waiting.length > 0);
    if (frame.hold <= 0) return this.next();
    this.timer = setTimeout(() => {
      this.timer = null;
      this.next();
    }, frame.hold);
  }
}
