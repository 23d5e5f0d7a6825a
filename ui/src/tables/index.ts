// The games that have a table of their own; others are shown as text.
import type { ComponentType } from "preact";
import Connect4Table, { connect4Frames } from "./connect4";
import NimmtTable, { nimmtFrames } from "./nimmt";
import PlainTable from "./plain";
import { plainFrames, type Framer, type TableProps } from "./props";
import SheepheadTable, { sheepheadFrames } from "./sheephead";
import TichuTable, { tichuFrames } from "./tichu";

const TABLES: Record<string, ComponentType<TableProps>> = {
  connect4: Connect4Table,
  nimmt: NimmtTable,
  sheephead: SheepheadTable,
  tichu: TichuTable,
};

const FRAMERS: Record<string, Framer> = {
  connect4: connect4Frames,
  nimmt: nimmtFrames,
  sheephead: sheepheadFrames,
  tichu: tichuFrames,
};

export function tableOf(game: string): ComponentType<TableProps> {
  return TABLES[game] ?? PlainTable;
}

export function framerOf(game: string): Framer {
  return FRAMERS[game] ?? plainFrames;
}

export type { Frame, Framer, TableProps } from "./props";
