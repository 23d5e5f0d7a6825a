// French-suited cards, drawn from data. Colours are CSS variables, so decks and themes need no code.
import { FACE_DOWN, faceOf, isTrump, JOKER, pointsOf, SUIT_PATHS, SUITS, type Suit } from "./french";
import "../style/frenchcard.css";

const colour = (suit: Suit) => `var(--suit-${SUITS.indexOf(suit) + 1})`;

function SuitShape({ suit, x = 0, y = 0, size = 20 }: { suit: Suit; x?: number; y?: number; size?: number }) {
  return (
    <path
      d={SUIT_PATHS[suit]}
      fill={colour(suit)}
      transform={`translate(${x} ${y}) scale(${size / 20})`}
    />
  );
}

const STAR = "M0-10l2.6 6.6l7.100.4l-5.500 4.500l1.800 6.900l-6-3.800l-6 3.800l1.800-6.900l-5.500-4.500l7.100-.4z";

/** Rank, suit and the letter of the suit, in the corner that shows in a fan. */
function Corner({ card }: { card: string }) {
  const { rank, suit } = faceOf(card);
  if (!suit)
    return (
      <>
        <path d={STAR} transform="translate(19 27) scale(1.45)" fill="var(--card-ink)" />
        <text x="19" y="62" class="fc-letter" fill="var(--card-ink)">JO</text>
      </>
    );
  return (
    <>
      <text x="19" y="39" class={`fc-rank ${rank.length > 1 ? "is-wide" : ""}`} fill={colour(suit)}>{rank}</text>
      <SuitShape suit={suit} x={19} y={58} size={23} />
      <text x="19" y="87" class="fc-letter" fill={colour(suit)}>{suit}</text>
    </>
  );
}

/** The opposite corner, upside down. */
function Foot({ card }: { card: string }) {
  const { rank, suit } = faceOf(card);
  return (
    <g transform="rotate(180 50 70)">
      {suit ? (
        <>
          <text x="19" y="35" class={`fc-rank ${rank.length > 1 ? "is-wide" : ""}`} fill={colour(suit)}>{rank}</text>
          <SuitShape suit={suit} x={46} y={24} size={15} />
        </>
      ) : (
        <path d={STAR} transform="translate(19 22) scale(1.2)" fill="var(--card-ink)" />
      )}
    </g>
  );
}

/** Own emblems: a crown for kings, a coronet with pearls for queens, a feathered cap for jacks. */
const EMBLEMS: Record<string, string> = {
  K: "M-19 11l-4-25l12 9l11-16l11 16l12-9l-4 25zM-19 15h38v6h-38z",
  Q: "M-18 12q-2-11-6-18q8 4 12 9q1-10 6-16q4 0 6-5q2 5 6 5q5 6 6 16q4-5 12-9q-4 7-6 18q-18-7-36 0zM-17 16q17-6 34 0v5q-17-6-34 0z",
  J: "M-21 13q2-22 19-25q16-2 22 12q3 6 1 13zM-24 16h48v5h-48z",
};

function Emblem({ rank, suit }: { rank: string; suit: Suit }) {
  return (
    <g fill={colour(suit)}>
      <path d={EMBLEMS[rank]} transform="translate(66 42)" />
      {rank === "Q" && [-24, 0, 24].map((x) => <circle cx={66 + x} cy={x ? 34 : 21} r="3.2" />)}
      {rank === "J" && <path d="M68 31q1-14 19-17q-2 15-14 21z" />}
      <SuitShape suit={suit} x={66} y={83} size={33} />
    </g>
  );
}

/** A sheep, for the joker. */
function Sheep() {
  const wool = [[-17, -6], [-10, -19], [4, -23], [17, -15], [20, 0], [-19, 7]];
  return (
    <g transform="translate(63 66)">
      <g fill="none" stroke="var(--card-ink)" stroke-width="3">
        {wool.map(([x, y]) => <circle cx={x} cy={y} r="9" />)}
      </g>
      {wool.map(([x, y]) => <circle cx={x} cy={y} r="9" fill="var(--card)" />)}
      <path d="M-13-8q14-10 26 0q4 20-5 32q-8 8-16 0q-9-12-5-32z" fill="var(--card-ink)" />
      <path d="M-14-4q-12-1-16 8q10 5 17-2zM14-4q12-1 16 8q-10 5-17-2z" fill="var(--card-ink)" />
      <circle cx="-6" cy="4" r="2.6" fill="var(--card)" />
      <circle cx="6" cy="4" r="2.6" fill="var(--card)" />
      <path d="M-4 20q4 4 8 0" stroke="var(--card)" stroke-width="2" fill="none" />
    </g>
  );
}

function Middle({ card }: { card: string }) {
  const { rank, suit } = faceOf(card);
  if (!suit) return <Sheep />;
  if (rank in EMBLEMS) return <Emblem rank={rank} suit={suit} />;
  return <SuitShape suit={suit} x={65} y={62} size={rank === "A" ? 60 : 46} />;
}

/** A card. `plain` leaves out the mark of trumps, as in Nola. */
export function FrenchCard({ card, plain = false }: { card: string; plain?: boolean }) {
  if (card === FACE_DOWN) return <CardBack />;
  const points = pointsOf(card);
  return (
    <svg class="fcard" viewBox="0 0 100 140" aria-hidden="true">
      <rect x="1" y="1" width="98" height="138" rx="8" class="fc-paper" />
      {!plain && isTrump(card) && <path d="M9 2h82a7 7 0 0 1 7 7h-96a7 7 0 0 1 7-7z" class="fc-trump" />}
      <Corner card={card} />
      <Foot card={card} />
      <Middle card={card} />
      {points > 0 && (
        <g class="fc-points">
          <circle cx="19" cy="121" r="12.5" />
          <text x="19" y="126.5">{points}</text>
        </g>
      )}
      {plain && card === JOKER && <text x="52" y="126" class="fc-letter" fill="var(--card-ink)">7 D</text>}
    </svg>
  );
}

export function CardBack() {
  return (
    <svg class="fcard" viewBox="0 0 100 140" aria-hidden="true">
      <rect x="1" y="1" width="98" height="138" rx="8" class="fc-paper" />
      <rect x="7" y="7" width="86" height="126" rx="5" fill="var(--card-back)" />
      <path
        d="M50 20l36 50l-36 50l-36-50zM50 38l23 32l-23 32l-23-32zM50 56l10 14l-10 14l-10-14z"
        fill="none"
        stroke="var(--card)"
        stroke-width="2.5"
        opacity="0.75"
      />
    </svg>
  );
}

/** A card as a small tile, for lists and open hands. */
export function CardTile({ card, label }: { card: string; label: string }) {
  const { rank, suit } = faceOf(card);
  const isHidden = card === FACE_DOWN;
  return (
    <span class={`ctile ${isHidden ? "is-back" : ""}`} role="img" aria-label={label} data-card={card}>
      {!isHidden && (
        <span aria-hidden="true" style={suit ? { color: colour(suit) } : undefined}>
          {suit ? rank : "★"}
          {suit && <svg viewBox="-10 -10 20 20"><SuitShape suit={suit} /></svg>}
        </span>
      )}
    </span>
  );
}
