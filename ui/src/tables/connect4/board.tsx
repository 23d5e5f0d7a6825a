// The board: discs behind a front with round holes, as it stands on a table.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Choice, Connect4Picture } from "../../wire";
import { tell } from "../../words/connect4";

export const COLUMNS = [0, 1, 2, 3, 4, 5, 6];
const ROWS = [0, 1, 2, 3, 4, 5];
const CELL = 100;
const RADIUS = 40;
const TOP = CELL; // room for the disc that is held above the board

const HOLES = ROWS.flatMap((row) =>
  COLUMNS.map((column) => {
    const [x, y] = centre(row, column);
    return `M${x - RADIUS} ${y}a${RADIUS} ${RADIUS} 0 1 0 ${2 * RADIUS} 0a${RADIUS} ${RADIUS} 0 1 0 ${-2 * RADIUS} 0z`;
  }),
).join("");
const FRONT = `M20 ${TOP}h660a20 20 0 0 1 20 20v560a20 20 0 0 1-20 20h-660a20 20 0 0 1-20-20v-560a20 20 0 0 1 20-20z${HOLES}`;

function centre(row: number, column: number): [number, number] {
  return [CELL * column + CELL / 2, TOP + CELL * row + CELL / 2];
}

/** A disc of a seat: its colour, and a cross or a ring that tells it without colour. */
export function Disc({ seat, x, y }: { seat: number; x: number; y: number }) {
  return (
    <g transform={`translate(${x} ${y})`} class={`c4-disc of-${seat}`}>
      <circle r={RADIUS + 3} />
      {seat === 0 ? <path d="M-15-15L15 15M15-15L-15 15" /> : <circle class="ring" r="18" />}
    </g>
  );
}

interface BoardProps {
  picture: Connect4Picture;
  aimed: number | null; // a column, from 0
  you: number; // whose disc is held above an aimed column
  choices: Choice[];
  moves: boolean; // whether discs fall
  isStill: boolean; // nobody holds a disc above it
}

export function Board({ picture, aimed, you, choices, moves, isStill }: BoardProps) {
  const falling = useFalling(picture, moves);
  const { last, line, board } = picture;
  const landing = aimed === null ? undefined : choices.find((one) => one.column === aimed + 1);
  const isWon = line.length > 0;
  return (
    <svg class={`c4-board ${isWon ? "is-won" : ""}`} viewBox={isStill ? "0 96 700 649" : "0 0 700 745"} aria-hidden="true">
      {board.flatMap((cells, row) =>
        cells.map((seat, column) => {
          if (seat < 0) return null;
          const isLast = last?.[0] === row && last[1] === column;
          const isWinning = line.some((cell) => cell[0] === row && cell[1] === column);
          const [x, y] = centre(row, column);
          return (
            <g key={`${row}-${column}`} class={isWinning ? "is-winning" : ""} ref={isLast ? falling : undefined}>
              <Disc seat={seat} x={x} y={y} />
            </g>
          );
        }),
      )}
      {landing?.row !== undefined && (
        <>
          <g class="c4-held"><Disc seat={you} x={CELL * aimed! + 50} y={50} /></g>
          <g class="c4-ghost"><Disc seat={you} x={CELL * aimed! + 50} y={centre(landing.row, 0)[1]} /></g>
        </>
      )}
      <path class="c4-front" d={FRONT} />
      {last && !isWon && <Mark key={`last-${last.join()}`} cell={last} kind="c4-last" />}
      {line.map((cell) => <Mark key={`win-${cell.join()}`} cell={cell} kind="c4-win" />)}
    </svg>
  );
}

function Mark({ cell: [row, column], kind }: { cell: [number, number]; kind: string }) {
  const [x, y] = centre(row, column);
  return <circle class={kind} cx={x} cy={y} r={RADIUS + 3} />;
}

/** Lets the last disc fall from above the board whenever there is a new one. */
function useFalling(picture: Connect4Picture, moves: boolean): RefObject<SVGGElement> {
  const disc = useRef<SVGGElement>(null);
  const shown = useRef(picture.moves.length);
  useLayoutEffect(() => {
    const isNew = picture.moves.length > shown.current;
    shown.current = picture.moves.length;
    if (!isNew || !moves || !picture.last || !disc.current) return;
    const height = CELL * (picture.last[0] + 1);
    disc.current.animate(
      [
        { transform: `translateY(${-height}px)`, easing: "cubic-bezier(.5, 0, .9, .6)" },
        { transform: "none", offset: 0.78, easing: "ease-out" },
        { transform: "translateY(-9px)", offset: 0.88, easing: "ease-in" },
        { transform: "none" },
      ],
      { duration: 180 + 45 * (picture.last[0] + 1) },
    );
  }, [picture]);
  return disc as RefObject<SVGGElement>;
}

/** The board as a table, for those who do not see it. */
export function BoardTable({ picture, names }: { picture: Connect4Picture; names: string[] }) {
  return (
    <div class="hidden-label"><table>
      <caption>{tell("board")}</caption>
      <thead>
        <tr>
          <td />
          {COLUMNS.map((column) => <th scope="col">{tell("column", { column: column + 1 })}</th>)}
        </tr>
      </thead>
      <tbody>
        {picture.board.map((cells, row) => (
          <tr>
            <th scope="row">{tell("row", { row: ROWS.length - row })}</th>
            {cells.map((seat) => <td>{seat < 0 ? tell("empty") : names[seat]}</td>)}
          </tr>
        ))}
      </tbody>
    </table></div>
  );
}
