// Words of the Connect 4 table.
import { phrases } from ".";

export const tell = phrases(
  {
    board: "The board",
    column: "Column {column}",
    columns: "Columns",
    row: "Row {row} from below",
    "on-row": "lands in row {row} from below",
    empty: "empty",
    "to-move": "to move",
    won: "winner",
    "disc-0": "red disc with a cross",
    "disc-1": "yellow disc with a ring",
  },
  {
    board: "Das Brett",
    column: "Spalte {column}",
    columns: "Spalten",
    row: "Zeile {row} von unten",
    "on-row": "landet in Zeile {row} von unten",
    empty: "leer",
    "to-move": "ist am Zug",
    won: "Sieg",
    "disc-0": "rote Scheibe mit Kreuz",
    "disc-1": "gelbe Scheibe mit Ring",
  },
);
