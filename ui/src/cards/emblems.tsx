// A small picture for each game, drawn here.
import type { ComponentChildren } from "preact";

function Card(props: { x: number; y: number; turn: number; children: ComponentChildren }) {
  return (
    <g transform={`translate(${props.x} ${props.y}) rotate(${props.turn})`}>
      <rect x="-17" y="-24" width="34" height="48" rx="4" class="emblem-card" />
      {props.children}
    </g>
  );
}

const label = (text: string, colour: string) => (
  <text text-anchor="middle" y="6" font-size="17" font-weight="700" fill={colour}>{text}</text>
);

const PICTURES: Record<string, () => ComponentChildren> = {
  nimmt: () => (
    <>
      <Card x={42} y={34} turn={-8}>{label("42", "#1c221f")}</Card>
      <Card x={80} y={32} turn={0}>{label("50", "#1d54b0")}</Card>
      <Card x={118} y={34} turn={8}>{label("55", "#8a1c7c")}</Card>
    </>
  ),
  tichu: () => (
    <>
      <Card x={42} y={34} turn={-8}>{label("A", "#1f6b35")}</Card>
      <Card x={80} y={32} turn={0}>{label("A", "#1c221f")}</Card>
      <Card x={118} y={34} turn={8}>{label("A", "#b3261e")}</Card>
    </>
  ),
  sheephead: () => (
    <>
      <Card x={42} y={34} turn={-8}>{label("Q♣", "#1c221f")}</Card>
      <Card x={80} y={32} turn={0}>{label("Q♠", "#1c221f")}</Card>
      <Card x={118} y={34} turn={8}>{label("J♦", "#b3261e")}</Card>
    </>
  ),
  connect4: () => (
    <>
      <rect x="44" y="8" width="72" height="50" rx="6" fill="#23508f" />
      {[0, 1, 2].flatMap((row) =>
        [0, 1, 2, 3].map((column) => (
          <circle cx={54 + 17.300 * column} cy={17 + 16 * row} r="6.500" fill={discColour(row, column)} />
        )),
      )}
    </>
  ),
};

function discColour(row: number, column: number): string {
  const drawn = ["....", ".YR.", "RYRY"][row]![column];
  return drawn === "R" ? "#d8432f" : drawn === "Y" ? "#f2c230" : "#16345f";
}

export function Emblem({ game }: { game: string }) {
  return (
    <svg class="emblem" viewBox="0 0 160 66" aria-hidden="true">
      {PICTURES[game]?.()}
    </svg>
  );
}
