// What the server and the page say to each other. The server's side is src/kibitz/web/.
// Texts named `words` are put into words by the server, in the language that was asked for.

export type SeatKind = "person" | "bot" | "open";

export interface Seat {
  name: string;
  kind: SeatKind;
  level: string | null; // of a bot: the name of a level, or its spec
  online: boolean;
  covered: boolean; // a bot plays for somebody who is away
  you: boolean;
}

export interface TableInfo {
  id: string;
  game: string; // spec
  name: string; // of the game: nimmt, tichu, sheephead, connect4
  title: string;
  unit: string; // what scores are counted in
  secrets: boolean; // whether seats do not know everything, such as the cards of others
  status: "open" | "playing" | "over";
  seats: Seat[];
  you: number; // your seat, or -1 for a spectator
  owner: boolean; // whether you made the table
  daily: string | null; // the date of a daily deal
  private: boolean; // not in the lobby: joined and watched by its link alone
  fairness: { commitment: string; seed: string | null; salt: string | null };
}

export interface Told {
  code: string;
  facts: Record<string, unknown>;
  words: string;
}

export interface TableEvent {
  number: number; // counts up from 1 for each viewer
  seat: number | null;
  message: Told | null;
  action: string | null; // as it is typed, if the viewer knows it exactly
  begins_turn: boolean;
  is_forced: boolean;
  outcome: Told[];
  ended: Picture | null; // the last view of a round after which another began
  scores: number[] | null;
}

export interface Snapshot {
  is: "table";
  table: TableInfo;
  picture: Picture;
  decision: number | null; // number of the decision that you owe; goes back with `play`
  choices: Choice[]; // what you may do now; empty if you have nothing to decide
  extra: Choice[]; // what you may do although the table does not wait for it (call Tichu)
  claim: boolean; // whether it is certain how the rest will go, so that you may claim it
  prompt: string; // the next thing to do, in one short line
  waiting: number[]; // seats that the table waits for, as far as you may know
  scores: number[];
  events: TableEvent[]; // since the number that the client has
  last_event: number;
  // ms that everybody is shown the last play before the table goes on; nobody acts meanwhile but
  // who has a choice in it, for whom the server passes in the end. null or left out: no pause
  pause?: number | null;
}

export interface Opinion {
  text: string; // the action as it is typed
  value: number | null;
  error: number | null; // standard error
  visits: number | null;
  share: number | null;
  wins: number | null; // the share of wins, where it is known beside the value
  win_error: number | null; // standard error
  verdict: string | null; // what is certain of it, in words, such as "wins in 11"
  merits: string[]; // what speaks for and against it
}

export interface HintMessage {
  is: "hint";
  decision: number;
  coach: string;
  kind: "score" | "win" | "rank";
  wins: string | null; // what counts as a win beside the values, in words; null if nothing does
  sims: number | null;
  final: boolean;
  opinions: Opinion[]; // the best first
}

export type ServerMessage =
  | Snapshot
  | HintMessage
  | { is: "done"; id: number }
  | { is: "refused"; id: number | null; why: string }
  | { is: "tried"; id: number; ok: boolean; text: string | null; why: string | null }
  | { is: "notice"; words: string } // a bot was replaced, something compiles
  | { is: "gone"; why: string }; // the table does not exist, or another tab took over

export type ClientMessage =
  | { do: "play"; id: number; decision: number | null; action: string }
  | { do: "try"; id: number; action: string }
  | { do: "hint"; id: number }
  | { do: "stop-hint"; id: number }
  | { do: "sit"; id: number; seat: number }
  | { do: "hide"; id: number; hidden: boolean } // out of the lobby, or into it again
  | { do: "start"; id: number } // fill open seats with bots and begin
  | { do: "leave"; id: number }
  | { do: "back"; id: number } // take back a seat that a bot covers
  | { do: "wait"; id: number } // I have a choice in a pause, and need more time for it
  | { do: "claim"; id: number };

// ---- pictures: what a view shows, made by games/NAME/picture.py from the view alone ----

export interface NimmtPicture {
  game: "nimmt";
  phase: "wait" | "choose" | "take" | "draft" | "over";
  round: number;
  turn: number; // from 1
  turns: number;
  match: number | null; // heads that end a match
  rows: number[][];
  row_heads: number[];
  hand: number[]; // the viewer's
  hands: (number[] | null)[]; // by seat; null where hidden
  hand_size: number;
  chosen: (number | null)[]; // by seat; 0 = face down
  last: (number | null)[]; // by seat: the card of the last complete turn
  taken: number[]; // heads in this round, by seat
  total: number[]; // heads of earlier rounds
  seen: number[]; // cards that have lain on the table in this round
  pool: number[]; // open cards of a draft
  deck: number; // highest card
  free_rows: boolean;
}

export interface Connect4Picture {
  game: "connect4";
  phase: "wait" | "play" | "over";
  board: number[][]; // six rows from the top, seven cells: -1 empty, 0, 1
  turn: number | null;
  winner: number | null;
  line: [number, number][]; // row, column of the winning four (or more), from 0
  last: [number, number] | null;
  moves: number[];
}

export interface TichuPicture {
  game: "tichu";
  phase: "wait" | "grand" | "call" | "exchange" | "turn" | "wish" | "window" | "dragon" | "over";
  round: number;
  target: number | null; // points of a match
  total: [number, number]; // of earlier rounds, by side
  points: [number, number]; // of the round that has just ended
  hand: string[]; // the viewer's, sorted: 2R … AS, Ma, Dog, Ph, Dr
  hands: (string[] | null)[]; // by seat; null where hidden
  counts: number[];
  calls: ("" | "tichu" | "grand")[];
  out: number[]; // place in the order of going out, or 0
  tricks: number[];
  won: number[]; // card points in tricks, by seat
  answered: boolean[]; // face down, by seat
  given: (string | null)[]; // by the viewer: to the right, the partner, the left
  got: (string | null)[]; // by the viewer: from the right, the partner, the left; until the first card
  deciding: number[]; // seats that must act, as far as the viewer may know
  turn: number | null;
  holder: number | null; // who has laid what is on the table
  table: { cards: string[]; phoenix: string | null; kind: string; words: string } | null;
  trick_points: number;
  laid: (string[] | null)[]; // by seat, last in this trick
  wish: string | null; // rank
  may_call: boolean; // the viewer may call Tichu now, in turn or not
}

export interface SheepheadPicture {
  game: "sheephead";
  phase: "wait" | "bid" | "bury" | "declare" | "blitz" | "crack" | "play" | "nola" | "leaster" | "over";
  number: number; // of the hand in the session, from 1
  hands_in_session: number;
  order: number[]; // seats to the left, beginning with the dealer
  dealer: number;
  turn: number | null;
  hand: string[]; // the viewer's, trumps first: 7C … AC, 10H, QD, joker
  hands: (string[] | null)[];
  counts: number[];
  passed: boolean[];
  picker: number | null;
  partner: number | null; // as far as the viewer knows
  alone: boolean;
  called: string | null; // card
  revealed: boolean;
  face_down: "none" | "hidden" | string; // the unknown card; its name where the viewer knows it
  buried: string[] | null; // where the viewer knows it
  blind: string[] | null; // where it may be seen
  trick: { leader: number; cards: (string | null)[]; winner: number | null; led: string | null; points: number } | null;
  last: { leader: number; cards: (string | null)[]; winner: number } | null; // "?" is the unknown card
  points: number[];
  tricks: number[];
  money: number[]; // cents
  paid: number[]; // cents in the last hand
  doubled: number; // hands left that pay double
  doublings: number; // of this hand by cracks and blitzes
  shown: { black: number | null; red: number | null };
  result: string | null; // of a hand that has ended, in words
}

export interface PlainPicture {
  game: "";
  drawing: string; // a game without a picture of its own: the table as text
}

export type Picture = NimmtPicture | Connect4Picture | TichuPicture | SheepheadPicture | PlainPicture;

export interface Choice {
  text: string; // goes back as `action`
  kind: string; // card | row | column | play | pass | call | no-call | give | wish | dragon | pick | bury | declare | …
  words: string; // what it does, for people and screen readers
  cards?: (string | number)[];
  row?: number; // nimmt: from 0; connect4: where the disc lands, from the top
  column?: number; // connect4: from 1
  heads?: number;
  rank?: string;
  phoenix?: string | null;
  seat?: number;
}

// ---- REST ----

export interface Me { id: string; name: string; language: string }

export interface Level {
  name: string; // casual | club | expert | best
  title: string;
  spec: string;
  rating: { value: number; low: number; high: number; n: number; against: string } | null;
}

export interface GameInfo {
  name: string;
  title: string;
  summary: string;
  unit: string;
  hidden: boolean;
  people: string; // spec that tables with people use
  options: { name: string; default: string; values: string[]; low: number | null; high: number | null; help: string }[];
  levels: Level[];
}

export interface NewTable {
  game: string; // spec
  seats: { kind: "me" | "open" | "bot"; level?: string }[] | null; // null: me and bots of `level`
  level?: string;
  same_deal_as?: string; // id of a finished table
  watch?: boolean; // bots alone
  private?: boolean; // joined and watched by its link alone
}

export interface ReviewDecision {
  move: number;
  seat: number;
  played: string;
  played_words: string;
  best: string | null;
  value: number | null; // of the best
  played_value: number | null;
  loss: number | null;
  error: number | null;
  size: "" | "slip" | "mistake" | "blunder";
}

/** GET /api/tables/{id}/review?seat=N, for tables that are over: the first question begins it. */
export interface ReviewState {
  status: "waiting" | "running" | "done" | "failed";
  done: number;
  total: number;
  coach: string;
  kind: "score" | "win" | "rank" | null;
  unit: string;
  rule: string; // how mistakes are told from the rest, in words
  decisions: ReviewDecision[]; // those that are done
  luck: { result: number; adjusted: number; low: number; high: number; words: string } | null;
  bots: { spec: string; scores: number[]; mean: number; low: number; high: number } | null; // same deal, your seat
  why: string | null; // if it failed
}

export interface ReplayStep {
  move: number; // 0 = the deal
  seat: number | null; // who acted
  told: { seat: number | null; words: string }[]; // what became known, and by whom; empty if nothing did
  picture: Picture;
  position: string; // spec and position, for sharing
  choices: Choice[]; // what the seat could do (at the decision that follows), if it is the viewer's
}

/** GET /api/tables/{id}/replay?seat=N&open=false, for tables that are over. */
export interface Replay {
  table: TableInfo;
  seat: number; // whose view is shown, or -1 for what everybody saw
  open: boolean; // all cards open
  steps: ReplayStep[];
}

/** GET /api/tables/{id}/opinions?move=N&open=false: what the coach thinks of one decision. */
export interface Insight {
  move: number;
  seat: number;
  played: string;
  played_words: string;
  open: boolean; // judged with all cards open
  hint: HintMessage;
}

/** POST /api/tables/{id}/try {move, action} and POST /api/practice/{id} {action}: no answer is betrayed. */
export interface Verdict {
  size: "best" | "good" | "slip" | "mistake" | "blunder";
  loss: number | null;
  error: number | null;
  words: string;
}

/** GET /api/practice: the mistakes of one's own that are due, the dearest first. */
export interface PracticeCard {
  id: string;
  table: TableInfo;
  move: number;
  seat: number;
  picture: Picture;
  choices: Choice[];
  prompt: string;
  size: "slip" | "mistake" | "blunder";
  loss: number;
  right: number; // times in a row that it was solved
}

/** POST /api/import {text}: JSONL records or BSW logs; what could be read becomes tables that are over. */
export interface Imported {
  tables: TableInfo[];
  refused: string[]; // a sentence for each line that could not be read
}

/** POST /api/analysis {position, seat?}: a position that was shared or typed. */
export interface Analysis {
  table: TableInfo; // without people; id is empty
  seat: number;
  position: string;
  picture: Picture;
  choices: Choice[];
  prompt: string;
  hint: HintMessage | null; // null if the position leaves no choice
}

/** GET /api/results: people against each level; /api/results.csv has the games. */
export interface LevelResult {
  game: string;
  title: string;
  unit: string;
  level: string;
  level_title: string;
  n: number; // games
  mean: number; // difference to the mean of the bots at the table, per game
  low: number;
  high: number;
  wins: number; // share, a tie counts in part
  wins_low: number;
  wins_high: number;
  mine: { n: number; mean: number; low: number; high: number } | null;
}

/** GET /api/fairness: what was dealt at all tables, beside what chance would deal. */
export interface DealStatistics {
  game: string;
  title: string;
  n: number; // deals
  rows: { words: string; expected: number; seen: number; low: number; high: number }[]; // low, high: 99 % of fair samples
}
