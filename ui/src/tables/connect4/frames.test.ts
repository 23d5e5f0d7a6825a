import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import type { Connect4Picture, Snapshot } from "../../wire";
import { boardAfter, connect4Frames } from "./frames";

function pictureOf(...moves: number[]): Connect4Picture {
  const board = Array.from({ length: 6 }, () => Array<number>(7).fill(-1));
  moves.forEach((column, i) => {
    const row = board.findLastIndex((cells) => cells[column - 1] === -1);
    board[row]![column - 1] = i % 2;
  });
  return { game: "connect4", phase: "play", board, turn: moves.length % 2, winner: null, line: [], last: null, moves };
}

const snapshot = (...moves: number[]) => ({ picture: pictureOf(...moves), events: [{}], table: {} }) as unknown as Snapshot;

test("a board can be shown as it was some moves ago", () => {
  const { board, last, turn } = boardAfter(pictureOf(4, 4, 5, 4), 2);
  deepEqual(board, pictureOf(4, 4).board);
  deepEqual(last, [4, 3]);
  equal(turn, 0);
});

test("one disc falls after the other", () => {
  const frames = connect4Frames(snapshot(4), snapshot(4, 4, 5), 300);
  deepEqual(frames.map((one) => (one.snapshot.picture as Connect4Picture).moves), [[4, 4], [4, 4, 5]]);
});

test("another game, or no beat, is shown at once", () => {
  equal(connect4Frames(snapshot(1), snapshot(4, 4, 5), 300).length, 1);
  equal(connect4Frames(snapshot(4), snapshot(4, 4, 5), 0).length, 1);
});
