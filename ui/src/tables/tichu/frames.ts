// The steps in which a change is shown: every play and pass by itself, then the end of the round.
import type { Picture, Snapshot, TableEvent, TichuPicture } from "../../wire";
import { still, type Frame, type Framer } from "../props";
import { advanced, laidBy } from "./story";

const READING = 30_000; // ms for who plays; one goes on by a key before that
const WATCHING = 5_000;

export const tichuFrames: Framer = (before, after, beat) => {
  const first = before?.picture;
  if (first?.game !== "tichu" || after.picture.game !== "tichu") return [{ snapshot: after, hold: 0 }];
  const frames: Frame[] = [];
  let picture = first;
  for (const [n, event] of after.events.entries()) {
    picture = advanced(picture, event);
    const hold = holdOf(event, beat, after.events[n + 1]);
    if (hold > 0) frames.push({ snapshot: step(after, picture, event), hold });
    if (event.ended) {
      frames.push({ snapshot: step(after, event.ended, event), hold: readingTime(after, beat) });
      picture = event.ended as TichuPicture;
    }
  }
  if (isShown(frames.at(-1)?.snapshot.picture, after.picture)) frames.pop();
  frames.push({ snapshot: after, hold: after.events.length ? Math.min(beat, after.pause ?? beat) : 0 });
  return frames;
};

function step(after: Snapshot, picture: Picture, event: TableEvent): Snapshot {
  return { ...still(after, picture), events: [event], waiting: [] };
}

/** A pass is short, unless it ends the trick. */
function holdOf(event: TableEvent, beat: number, next: TableEvent | undefined): number {
  const code = event.message?.code;
  if (laidBy(event) || event.outcome.length) return beat;
  if (code === "tichu.pass") return next?.outcome.length && !next.message ? beat : beat / 2;
  return code === "tichu.tichu" || code === "tichu.grand" || code === "tichu.wish" ? beat : 0;
}

function readingTime(after: Snapshot, beat: number): number {
  if (beat === 0 && after.table.you < 0) return 0;
  return after.table.you < 0 ? WATCHING : READING;
}

/** Whether a step shows what the last one shows. */
function isShown(shown: Picture | undefined, last: TichuPicture): boolean {
  if (shown?.game !== "tichu") return false;
  const sign = (picture: TichuPicture) =>
    JSON.stringify([picture.round, picture.table?.cards, picture.counts, picture.tricks, picture.calls, picture.wish]);
  return sign(shown) === sign(last);
}
