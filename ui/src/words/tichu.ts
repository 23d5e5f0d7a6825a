// Words of the Tichu table.
import { phrases, type Facts } from ".";
import { settings } from "../settings";
import { rankOf, suitOf, type Combination } from "../tables/tichu/cards";

export const say = phrases(
  {
    we: "We",
    they: "They",
    "to-target": "to {n}",
    round: "Round {n}",
    cards: "{n} card | {n} cards",
    tricks: "{n} trick | {n} tricks",
    points: "{n} point | {n} points",
    won: "{tricks}, {points}",
    tichu: "Tichu",
    grand: "Grand Tichu",
    "call-of": "{name} has called {call}",
    "out-1": "Out first",
    "out-2": "Out second",
    "out-3": "Out third",
    "out-4": "Last",
    "on-turn": "on turn",
    answered: "has answered",
    passed: "pass",
    leads: "{name} leads",
    "you-lead": "You lead",
    "by-name": "by {name}",
    "by-you": "by you",
    "trick-worth": "{n} point in the trick | {n} points in the trick",
    wish: "Wish",
    "wish-for": "Wish: {rank}",
    "phoenix-as": "Phoenix as {rank}",
    "raise-cards": "Raise the cards you want to play",
    "raise-bomb": "Lay a bomb now, or let it go on",
    "only-pass": "None of your cards can beat this: pass",
    "not-legal": "These cards cannot be played now",
    play: "Play",
    pass: "Pass",
    "no-bomb": "No bomb",
    bomb: "Bomb",
    "bomb-armed": "Bomb: will ask",
    "bomb-help": "Only you see that you hold a bomb",
    "call-tichu": "Tichu",
    "call-grand": "Grand Tichu",
    "grand-ask": "Grand Tichu?",
    "grand-why": "Be out first: 200 points. If not, you lose 200.",
    "tichu-ask": "Tichu?",
    "tichu-why": "Be out first: 100 points. If not, you lose 100.",
    "tichu-sure": "Call Tichu now?",
    "grand-sure": "Call Grand Tichu now?",
    "yes-call": "Yes, call",
    no: "No",
    back: "Back",
    exchange: "Give a card to each of the others",
    "give-left": "Left",
    "give-partner": "Partner",
    "give-right": "Right",
    "slot-empty": "{place}, {name}: empty",
    "slot-full": "{place}, {name}: {card}. Take back",
    give: "Give these cards",
    "give-one": "Give this card",
    "gave-wait": "Your cards are given. The others still choose.",
    got: "You got",
    "from-left": "from the left",
    "from-top": "from your partner",
    "from-right": "from the right",
    "wish-ask": "Wish for a rank?",
    "wish-why": "Who can play it in turn must.",
    "no-wish": "No wish",
    "dragon-ask": "Who gets the trick of your Dragon?",
    "to-left": "Left: {name}",
    "to-right": "Right: {name}",
    "last-trick": "Last trick",
    "no-last-trick": "No trick yet",
    "taken-by": "{name} takes it, {points}",
    close: "Close",
    "round-over": "Round {n} is over",
    "match-over": "The game is over",
    "double-victory": "Double victory",
    "card-points": "Card points",
    calls: "Calls",
    "this-round": "This round",
    total: "Total",
    "call-won": "{name}: {call} made",
    "call-lost": "{name}: {call} failed",
    continue: "Go on",
    hand: "Your hand",
    "hand-of": "Hand of {name}",
    "key-ranks": "raise a card of that rank, or wish for it",
    "key-raise": "raise or lower the card in focus",
    "key-pass": "pass",
    "key-bomb": "bomb",
  },
  {
    we: "Wir",
    they: "Sie",
    "to-target": "bis {n}",
    round: "Runde {n}",
    cards: "{n} Karte | {n} Karten",
    tricks: "{n} Stich | {n} Stiche",
    points: "{n} Punkt | {n} Punkte",
    won: "{tricks}, {points}",
    tichu: "Tichu",
    grand: "Großes Tichu",
    "call-of": "{name} hat {call} angesagt",
    "out-1": "Als Erster fertig",
    "out-2": "Als Zweiter fertig",
    "out-3": "Als Dritter fertig",
    "out-4": "Letzter",
    "on-turn": "am Zug",
    answered: "hat geantwortet",
    passed: "passt",
    leads: "{name} spielt aus",
    "you-lead": "Du spielst aus",
    "by-name": "von {name}",
    "by-you": "von dir",
    "trick-worth": "{n} Punkt im Stich | {n} Punkte im Stich",
    wish: "Wunsch",
    "wish-for": "Wunsch: {rank}",
    "phoenix-as": "Phönix als {rank}",
    "raise-cards": "Hebe die Karten an, die du spielen willst",
    "raise-bomb": "Lege jetzt eine Bombe oder lass es weitergehen",
    "only-pass": "Keine deiner Karten schlägt das: passe",
    "not-legal": "Diese Karten gehen jetzt nicht",
    play: "Spielen",
    pass: "Passen",
    "no-bomb": "Keine Bombe",
    bomb: "Bombe",
    "bomb-armed": "Bombe: fragt nach",
    "bomb-help": "Nur du siehst, dass du eine Bombe hast",
    "call-tichu": "Tichu",
    "call-grand": "Großes Tichu",
    "grand-ask": "Großes Tichu?",
    "grand-why": "Als Erster fertig: 200 Punkte. Sonst verlierst du 200.",
    "tichu-ask": "Tichu?",
    "tichu-why": "Als Erster fertig: 100 Punkte. Sonst verlierst du 100.",
    "tichu-sure": "Jetzt Tichu ansagen?",
    "grand-sure": "Jetzt großes Tichu ansagen?",
    "yes-call": "Ja, ansagen",
    no: "Nein",
    back: "Zurück",
    exchange: "Gib jedem anderen eine Karte",
    "give-left": "Links",
    "give-partner": "Partner",
    "give-right": "Rechts",
    "slot-empty": "{place}, {name}: leer",
    "slot-full": "{place}, {name}: {card}. Zurücknehmen",
    give: "Diese Karten geben",
    "give-one": "Diese Karte geben",
    "gave-wait": "Deine Karten sind gegeben. Die anderen wählen noch.",
    got: "Bekommen",
    "from-left": "von links",
    "from-top": "vom Partner",
    "from-right": "von rechts",
    "wish-ask": "Einen Rang wünschen?",
    "wish-why": "Wer ihn in seinem Zug spielen kann, muss.",
    "no-wish": "Kein Wunsch",
    "dragon-ask": "Wer bekommt den Stich deines Drachen?",
    "to-left": "Links: {name}",
    "to-right": "Rechts: {name}",
    "last-trick": "Letzter Stich",
    "no-last-trick": "Noch kein Stich",
    "taken-by": "{name} nimmt ihn, {points}",
    close: "Schließen",
    "round-over": "Runde {n} ist zu Ende",
    "match-over": "Das Spiel ist zu Ende",
    "double-victory": "Doppelsieg",
    "card-points": "Kartenpunkte",
    calls: "Ansagen",
    "this-round": "Diese Runde",
    total: "Summe",
    "call-won": "{name}: {call} geschafft",
    "call-lost": "{name}: {call} verloren",
    continue: "Weiter",
    hand: "Deine Hand",
    "hand-of": "Hand von {name}",
    "key-ranks": "eine Karte des Rangs anheben, oder ihn wünschen",
    "key-raise": "die gewählte Karte anheben oder senken",
    "key-pass": "passen",
    "key-bomb": "Bombe",
  },
);

type Names = Record<string, string>;

const RANK_WORDS: Record<"en" | "de", Names> = {
  en: { "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" },
  de: { "2": "Zwei", "3": "Drei", "4": "Vier", "5": "Fünf", "6": "Sechs", "7": "Sieben", "8": "Acht", "9": "Neun", T: "Zehn", J: "Bube", Q: "Dame", K: "König", A: "Ass" },
};
const MANY: Record<"en" | "de", Names> = {
  en: { "6": "sixes" },
  de: { "2": "Zweien", "3": "Dreien", "4": "Vieren", "5": "Fünfen", "6": "Sechsen", "7": "Siebenen", "8": "Achten", "9": "Neunen", T: "Zehnen", J: "Buben", Q: "Damen", K: "Könige", A: "Asse" },
};
const SUIT_WORDS: Record<"en" | "de", Names> = {
  en: { R: "pagodas", G: "stars", B: "jade", S: "swords" },
  de: { R: "Pagoden", G: "Stern", B: "Jade", S: "Schwert" },
};
const SPECIALS: Record<"en" | "de", Names> = {
  en: { Ma: "Mah Jong", Dog: "Dog", Ph: "Phoenix", Dr: "Dragon" },
  de: { Ma: "Mah Jong", Dog: "Hund", Ph: "Phönix", Dr: "Drache" },
};

/** A rank as it is printed. */
export function rankLabel(rank: string): string {
  return rank === "T" ? "10" : rank;
}

export function rankWord(rank: string): string {
  return RANK_WORDS[settings().language][rank] ?? rank;
}

/** A card as screen readers say it: seven of jade. */
export function cardWords(card: string, phoenix: string | null = null): string {
  const { language } = settings();
  const suit = suitOf(card);
  if (card === "Ph" && phoenix) return say("phoenix-as", { rank: rankWord(phoenix) });
  if (!suit) return SPECIALS[language][card] ?? card;
  const [rank, colour] = [rankWord(rankOf(card)), SUIT_WORDS[language][suit]!];
  return language === "de" ? `${colour}-${rank}` : `${rank} of ${colour}`;
}

const combination = phrases(
  {
    pair: "pair of {many}",
    trio: "trio of {many}",
    "full-house": "full house of {many}",
    straight: "straight of {n} up to {rank}",
    steps: "{pairs} pairs in a row up to {many}",
    four: "bomb of four {many}",
    bomb: "straight flush of {n} up to {rank}",
  },
  {
    pair: "ein Paar {many}",
    trio: "ein Drilling {many}",
    "full-house": "ein Full House {many}",
    straight: "eine Straße von {n} bis {rank}",
    steps: "{pairs} Paare in Folge bis zu {many}",
    four: "eine Bombe aus vier {many}",
    bomb: "eine Straßenbombe von {n} bis {rank}",
  },
);

/** What a combination is, as the server would say it. */
export function combinationWords({ kind, rank, length }: Combination): string {
  const { language } = settings();
  if (kind === "single") return SPECIALS[language][rank] ?? rankWord(rank);
  const many = MANY[language][rank] ?? `${rankWord(rank)}s`;
  const facts: Facts = { n: length, many, rank: rankLabel(rank), pairs: length / 2 };
  return combination(kind === "bomb" && length === 4 ? "four" : kind, facts);
}

/** The keys of this table, for the list of keys. */
export function keyLines(): [string, string][] {
  return [
    ["2 – 9, 0, j, q, k, a, 1", say("key-ranks")],
    ["Space", say("key-raise")],
    ["p", say("key-pass")],
    ["b", say("key-bomb")],
  ];
}
