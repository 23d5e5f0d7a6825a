// The Connect 4 table: a board, a button for each column, the two players beside it.
import { useEffect, useRef, useState } from "preact/hooks";
import { useChoiceKeys, usePlayedOnce } from "../../choosing";
import { nameOf, SeatName } from "../../seats";
import { movesAllowed } from "../../settings";
import type { Choice, Connect4Picture, Snapshot } from "../../wire";
import { tell } from "../../words/connect4";
import PlainTable from "../plain";
import type { TableProps } from "../props";
import { Board, BoardTable, COLUMNS, Disc } from "./board";
import "../../style/connect4.css";

export { connect4Frames } from "./frames";

export default function Connect4Table(props: TableProps) {
  if (props.snapshot.picture.game !== "connect4") return <PlainTable {...props} />;
  return <Table {...props} picture={props.snapshot.picture} />;
}

function Table({ snapshot, picture, settings, readOnly, ...props }: TableProps & { picture: Connect4Picture }) {
  const [aimed, aim] = useState<number | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const { table } = snapshot;
  const choices = readOnly ? [] : snapshot.choices;
  const names = table.seats.map((_, seat) => nameOf(table, seat));
  const { play } = usePlayedOnce(props.play, snapshot);
  useChoiceKeys(root, choices.length > 0);
  useEffect(() => {
    if (!choices.length) aim(null);
  }, [snapshot]);
  const mover = table.you >= 0 ? table.you : (picture.turn ?? 0);
  return (
    <div class="c4-room">
      <div class="c4" ref={root} data-phase={picture.phase}>
        <Player snapshot={snapshot} picture={picture} seat={0} />
        <div class={`c4-stand ${readOnly ? "is-still" : ""}`}>
          <Board
            picture={picture}
            aimed={aimed}
            you={mover}
            choices={choices}
            moves={movesAllowed(settings) && settings.beat > 0}
            isStill={readOnly ?? false}
          />
          <BoardTable picture={picture} names={names} />
          <Columns choices={choices} aim={aim} play={play} />
        </div>
        <Player snapshot={snapshot} picture={picture} seat={1} />
      </div>
    </div>
  );
}

interface ColumnsProps {
  choices: Choice[];
  aim: (column: number | null) => void;
  play: (action: string) => void;
}

function Columns({ choices, aim, play }: ColumnsProps) {
  const byColumn = new Map(choices.map((choice) => [choice.column, choice]));
  return (
    <div class="c4-columns" role="group" aria-label={tell("columns")}>
      {COLUMNS.map((column) => {
        const choice = byColumn.get(column + 1);
        if (!choice) return <span aria-hidden="true"><b>{column + 1}</b></span>;
        return (
          <button
            data-choice={choice.text}
            data-testid={`column-${column + 1}`}
            aria-label={`${choice.words}, ${tell("on-row", { row: 6 - (choice.row ?? 0) })}`}
            onMouseEnter={() => aim(column)}
            onMouseLeave={() => aim(null)}
            onFocus={() => aim(column)}
            onBlur={() => aim(null)}
            onClick={() => play(choice.text)}
          >
            <b aria-hidden="true">{column + 1}</b>
          </button>
        );
      })}
    </div>
  );
}

function Player({ snapshot, picture, seat }: { snapshot: Snapshot; picture: Connect4Picture; seat: number }) {
  const state =
    picture.winner === seat ? tell("won") : picture.phase === "play" && picture.turn === seat ? tell("to-move") : "";
  const classes = ["c4-player", `of-${seat}`];
  if (state) classes.push("is-marked");
  return (
    <div class={classes.join(" ")} data-testid={`seat-${seat}`}>
      <svg viewBox="0 0 100 100" role="img" aria-label={tell(seat === 0 ? "disc-0" : "disc-1")}>
        <Disc seat={seat} x={50} y={50} />
      </svg>
      <SeatName seat={snapshot.table.seats[seat]!} />
      <span class="c4-state">{state || " "}</span>
    </div>
  );
}
