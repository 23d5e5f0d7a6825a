// In which steps moves are shown: one disc after the other.
import type { Connect4Picture, Snapshot } from "../../wire";
import { plainFrames, still, type Framer } from "../props";

const FALL = 450; // ms that a disc needs at most
const ROWS = 6;

/** The board after the first `n` moves of a picture. */
export function boardAfter(picture: Connect4Picture, n: number): Connect4Picture {
  const gone = picture.moves.slice(n);
  const board = picture.board.map((row) => [...row]);
  for (const column of gone.toReversed()) {
    const top = board.findIndex((row) => row[column - 1] !== -1);
    board[top]![column - 1] = -1;
  }
  const moves = picture.moves.slice(0, n);
  const column = moves.at(-1);
  const height = moves.filter((one) => one === column).length;
  const last: [number, number] | null = column === undefined ? null : [ROWS - height, column - 1];
  return { ...picture, phase: "play", board, moves, last, turn: n % 2, winner: null, line: [] };
}

export const connect4Frames: Framer = (before, after, beat) => {
  const [from, to] = [before?.picture, after.picture];
  if (from?.game !== "connect4" || to.game !== "connect4" || beat <= 0 || !continues(from, to))
    return plainFrames(before, after, beat);
  const frames = [];
  for (let n = from.moves.length + 1; n < to.moves.length; n++) {
    const snapshot: Snapshot = { ...still(after, boardAfter(to, n)), events: [] };
    frames.push({ snapshot, hold: Math.max(beat, FALL) });
  }
  return [...frames, { snapshot: after, hold: to.moves.length > from.moves.length ? Math.max(beat, FALL) : 0 }];
};

function continues(from: Connect4Picture, to: Connect4Picture): boolean {
  return from.moves.every((column, i) => to.moves[i] === column);
}
