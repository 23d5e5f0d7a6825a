// Cards of 6 nimmt!: the number in two corners, tinted by the bull heads that it costs.
import { headsOn } from "../tables/nimmt/laying";
import { tell } from "../words/nimmt";
import "../style/nimmt-cards.css";

const HORNS =
  "M-12-9C-10.500-4.500-8-3.500-4.500-4.200h9C8-3.500 10.500-4.500 12-9C13.500-3 10.500 1 5.200 .6L3.800 6.800Q3 10 0 10T-3.800 6.800L-5.200 .6C-10.500 1-13.500-3-12-9z" +
  "M-2.800-1.200a1 1 0 1 0 .01 0zM2.800-1.200a1 1 0 1 0 .01 0z";

// Where the heads lie on a card of 100 x 140, and how large they are.
const PLACES: Record<number, { size: number; at: [number, number][] }> = {
  1: { size: 1.700, at: [[50, 74]] },
  2: { size: 1.400, at: [[30, 74], [70, 74]] },
  3: { size: 1.100, at: [[20, 74], [50, 74], [80, 74]] },
  5: { size: 1, at: [[22, 62], [50, 62], [78, 62], [36, 86], [64, 86]] },
  7: { size: 0.860, at: [[16, 62], [39, 62], [61, 62], [84, 62], [27, 85], [50, 85], [73, 85]] },
};

/** A bull's head of our own, in the colour of the text around it. */
export function BullHead() {
  return (
    <svg class="bull" viewBox="-13 -10 26 20.500" aria-hidden="true"><path d={HORNS} /></svg>
  );
}

interface NumberCardProps {
  card: number;
  isLabelled?: boolean; // false where something around it says what it is
}

/** The face of a card, as large as the box around it. */
export function NumberCard({ card, isLabelled = true }: NumberCardProps) {
  const heads = headsOn(card);
  const label = isLabelled ? { role: "img" as const, "aria-label": cardWords(card) } : { "aria-hidden": true };
  const size = card > 99 ? 38 : 46;
  return (
    <svg class={`number-card heads-${heads}`} viewBox="0 0 100 140" {...label}>
      <rect class="edge" x="1.500" y="1.500" width="97" height="137" rx="9" />
      <text x="7" y="42" font-size={size}>{card}</text>
      <text x="93" y="131" font-size={0.8 * size} text-anchor="end">{card}</text>
      <g class="heads-drawn">
        {PLACES[heads]!.at.map(([x, y]) => (
          <path d={HORNS} transform={`translate(${x} ${y}) scale(${PLACES[heads]!.size})`} />
        ))}
      </g>
      <g class="heads-counted">
        <path d={HORNS} transform="translate(34 75) scale(1.400)" />
        <text x="57" y="88" font-size="36">{heads}</text>
      </g>
    </svg>
  );
}

export function CardBack({ label }: { label: string }) {
  return (
    <svg class="number-card back" viewBox="0 0 100 140" role="img" aria-label={label}>
      <rect class="edge" x="1.500" y="1.500" width="97" height="137" rx="9" />
      <rect class="frame" x="11" y="11" width="78" height="118" rx="5" />
      <path d={HORNS} transform="translate(50 71) scale(2.200)" />
    </svg>
  );
}

/** A card as a small tile: in trackers, hands of others and, with its heads, among open cards. */
export function NumberTile({ card, withHeads = false }: { card: number; withHeads?: boolean }) {
  const heads = headsOn(card);
  return (
    <span class={`number-tile heads-${heads}`}>
      {card}
      {withHeads && <small>{heads}<BullHead /></small>}
    </span>
  );
}

export function cardWords(card: number): string {
  return tell("card", { card, n: headsOn(card) });
}
