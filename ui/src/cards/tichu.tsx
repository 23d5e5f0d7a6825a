// Cards of Tichu in our own design: four suits with a shape, a letter and a colour, four others.
import type { ComponentChildren } from "preact";
import { rankOf, suitOf, type Suit } from "../tables/tichu/cards";
import { rankLabel } from "../words/tichu";
import "../style/tichu-cards.css";

/** Drawn in a box of 24 by 24. */
const GLYPHS: Record<Suit, ComponentChildren> = {
  // A jade ring.
  B: <path fill-rule="evenodd" d="M12 1.500a10.500 10.500 0 1 0 0 21a10.500 10.500 0 1 0 0-21zM12 7.500a4.500 4.500 0 1 1 0 9a4.500 4.500 0 1 1 0-9z" />,
  // A sword, point up.
  S: <path d="M12 .5l3 4v9.500h4.500v2.800H14V20h1.500v3.500h-7V20H10v-3.200H4.500V14H9V4.500z" />,
  // A pagoda of three roofs.
  R: <path d="M11.3 0h1.400l.7 2.500q1.500 2.800 5.300 3l-.7 2h-3v2h1.500q1 2.800 4.500 3.200l-.7 2h-3.800v2h1.300q1.500 2.800 6 3.300l-.8 2H19v2H5v-2H1.300l-.8-2q4.500-.5 6-3.300h1.300v-2H4l-.7-2q3.500-.4 4.500-3.200H9v-2H6l-.7-2q3.800-.2 5.300-3z" />,
  // A star of five points.
  G: <path d="M12 .8l2.900 7.700l8.200.4l-6.400 5.100l2.200 7.900L12 17.400l-6.900 4.500l2.200-7.900L.9 8.900l8.200-.4z" />,
};

const stroke = { fill: "none", stroke: "currentColor", "stroke-linecap": "round", "stroke-linejoin": "round" } as const;

/** Drawn in a box of 60 by 60. */
const PICTURES: Record<string, ComponentChildren> = {
  // A tile with one flower.
  Ma: (
    <g {...stroke} stroke-width="3">
      <rect x="11" y="3" width="38" height="54" rx="6" />
      <circle cx="30" cy="30" r="13" />
      <circle cx="30" cy="30" r="4" fill="currentColor" />
      <path d="M30 17v5M30 38v5M17 30h5M38 30h5M21 21l3 3M36 36l3 3M39 21l-3 3M24 36l-3 3" />
    </g>
  ),
  // The head of a dog with hanging ears.
  Dog: (
    <g {...stroke} stroke-width="3">
      <path d="M17 14q13-8 26 0v18q0 14-13 22q-13-8-13-22z" />
      <path d="M17 14q-12 1-13 22q1 7 7 4q6-5 6-14zM43 14q12 1 13 22q-1 7-7 4q-6-5-6-14z" fill="currentColor" />
      <path d="M30 43v5M24 48q6 4 12 0" />
      <path d="M25 37h10l-5 6z" fill="currentColor" />
      <path d="M24 26v2M36 26v2" stroke-width="5" />
    </g>
  ),
  // A bird that rises, wings up, with a long tail.
  Ph: (
    <g {...stroke} stroke-width="3">
      <path d="M30 22q-3-9-14-15q-9-2-13 1q2 16 12 22q7 4 13 3zM30 22q3-9 14-15q9-2 13 1q-2 16-12 22q-7 4-13 3z" fill="currentColor" fill-opacity=".22" />
      <path d="M30 18q-5-1-4-8q1-5 6-5l5 4l-5 2q2 4-2 7q-8 10-2 18" />
      <path d="M28 34q-10 6-13 22M30 35q-3 10-1 22M32 34q9 6 14 20" />
      <path d="M15 56q-4-2-3-6M29 57q-4-1-4-5M46 54q1-4-2-6M9 13q6 2 10 8M51 13q-6 2-10 8" />
    </g>
  ),
  // A snake-like body in an S, with horns, claws and a flame.
  Dr: (
    <g {...stroke} stroke-width="3">
      <path d="M37 17q-16-6-21 4q-3 9 12 11q18 2 16 12q-3 11-22 9q-10-1-15-8" stroke-width="8" />
      <path d="M35 9l13 2l9 8l-6 6l-9-2l-8 2z" fill="currentColor" />
      <path d="M38 8q-2-5-8-6M45 9q1-5-3-8M57 20q3 3 1 7M51 25q2 4-1 8" />
      <path d="M14 15l-6-3M12 24l-7 1M46 39l7-2M44 49l5 5M7 45l-4-6l8 1" />
    </g>
  ),
};

/** A card face up. `value` is what the Phoenix stands for. */
export function TichuCard({ card, value }: { card: string; value?: string | null }) {
  const suit = suitOf(card);
  const rank = suit ? rankLabel(rankOf(card)) : card === "Ma" ? "1" : card;
  return (
    <svg class={`tc tc-${suit ?? card}`} viewBox="0 0 100 140" aria-hidden="true">
      <rect class="tc-paper" x="1.500" y="1.500" width="97" height="137" rx="10" />
      <text class={rank.length > 1 ? "tc-rank is-long" : "tc-rank"} x={rank.length > 1 ? 6 : 9} y="39">{rank}</text>
      {suit ? <Suited suit={suit} rank={rank} /> : <Special card={card} />}
      {value && <Value rank={rankLabel(value)} />}
    </svg>
  );
}

function Suited({ suit, rank }: { suit: Suit; rank: string }) {
  return (
    <>
      <g class="tc-ink" transform="translate(9 46) scale(1.080)">{GLYPHS[suit]}</g>
      <text class="tc-letter" x="22" y="94" text-anchor="middle">{suit}</text>
      <g class="tc-ink" transform="translate(42 46) scale(2)">{GLYPHS[suit]}</g>
      <text class={rank.length > 1 ? "tc-rank is-long" : "tc-rank"} x={rank.length > 1 ? 6 : 9} y="39" transform="rotate(180 50 70)">{rank}</text>
    </>
  );
}

function Special({ card }: { card: string }) {
  return (
    <>
      {card === "Ma" && <text class="tc-letter" x="92" y="26" text-anchor="end">Ma</text>}
      <g class="tc-ink" transform="translate(16 48) scale(1.140)">{PICTURES[card]}</g>
      <text class="tc-letter" x="92" y="133" text-anchor="end">{CARD_POINTS[card] ?? ""}</text>
    </>
  );
}

const CARD_POINTS: Record<string, string> = { Dr: "+25", Ph: "−25" };

function Value({ rank }: { rank: string }) {
  return (
    <g class="tc-value">
      <rect x="8" y="98" width="84" height="36" rx="8" />
      <text x="50" y="126" text-anchor="middle">= {rank}</text>
    </g>
  );
}

export function TichuBack() {
  return (
    <svg class="tc tc-back" viewBox="0 0 100 140" aria-hidden="true">
      <rect class="tc-paper" x="1.500" y="1.500" width="97" height="137" rx="10" />
      <path d="M50 18l32 52l-32 52l-32-52zM50 44l16 26l-16 26l-16-26z" />
    </svg>
  );
}
