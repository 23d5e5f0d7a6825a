// Words of the Sheephead table.
import { phrases } from ".";
import { nameOf } from "../seats";
import type { TableInfo } from "../wire";
import { FACE_DOWN, faceOf, isTrump, JOKER, pointsOf } from "../cards/french";

export const say = phrases(
  {
    // Cards
    C: "clubs",
    S: "spades",
    H: "hearts",
    D: "diamonds",
    T: "trump",
    A: "ace",
    K: "king",
    Q: "queen",
    J: "jack",
    "10": "ten",
    "9": "nine",
    "8": "eight",
    "7": "seven",
    joker: "joker",
    "joker-nola": "joker, seven of diamonds",
    "card-of": "{rank} of {suit}",
    "face-down": "card face down",
    "n-points": "{n} point | {n} points",
    // Seats
    picker: "Picker",
    partner: "Partner",
    "partner-secret": "Partner, in secret",
    alone: "Alone",
    dealer: "Dealer",
    passed: "passed",
    "is-turn": "to play",
    "n-cards": "{n} card | {n} cards",
    "n-tricks": "{n} trick | {n} tricks",
    queens: "has shown {cards}",
    "black-queens": "the black queens",
    "red-queens": "the red queens",
    cents: "{n} ¢",
    money: "money",
    // The bar above
    hand: "Hand {number} of {all}",
    "picks-alone": "{name} plays alone",
    calls: "{name} calls",
    picked: "{name} picked",
    "you-alone": "You play alone",
    "you-call": "You call",
    "you-picked": "You picked",
    "no-picker": "Nobody has picked yet",
    "called-suit": "called suit: {suit}",
    "with-unknown": "with a card face down",
    "partner-hidden": "partner not known yet",
    "partner-is": "partner: {name}",
    "partner-you": "you are the partner",
    nola: "Nola",
    "nola-rule": "Nobody picked: no trump, the joker is the 7 of diamonds. Who takes the last trick pays; who takes all six wins.",
    leaster: "Leaster",
    "leaster-rule": "Nobody picked: the fewest points with at least one trick win. The blind goes with the last trick.",
    double: "Double pay: this hand | Double pay: {n} hands",
    "double-next": "Double pay: next hand | Double pay: next {n} hands",
    "pays-times": "Pays × {times}",
    "picker-side": "Picker’s side",
    others: "Others",
    "and-bury": "and the bury",
    sides: "Points of both sides",
    // The middle
    blind: "Blind",
    "from-blind": "from the blind",
    "led-suit": "{suit} led",
    "trick-of": "Trick {trick} of 6",
    "in-trick": "{n} point in it | {n} points in it",
    winning: "takes it so far",
    "takes-trick": "{name} takes the trick",
    "you-take-trick": "You take the trick",
    "last-trick": "Last trick",
    "your-hand": "Your hand",
    "hand-of": "Hand of {name}",
    buried: "Buried",
    unknown: "Face down",
    // Questions
    pick: "Pick",
    pass: "Pass",
    "bury-slot": "Card to bury",
    bury: "Bury",
    "bury-none": "Raise two cards from your hand.",
    "bury-one": "Raise one more card.",
    "bury-points": "{n} point for your side | {n} points for your side",
    "bury-trump": "There is trump among them.",
    "bury-last": "Then {suits} cannot be called.",
    "no-call": "Not to be called:",
    "why-held": "{card}: you hold it",
    "why-buried": "{card}: you buried it",
    "why-void": "{card}: you kept no {suit}",
    "call-ace": "Ace to call",
    "lay-down": "Raise the card that lies face down for it.",
    "lay-and-call": "Call {card}, {laid} face down",
    "choose-ace": "Choose the ace.",
    "play-alone": "Play alone",
    call: "Call {card}",
    // The end of a hand
    "hand-over": "The hand is over",
    "next-hand": "Next hand",
    "nobody-picked": "Nobody picked",
    player: "Player",
    points: "Points",
    tricks: "Tricks",
    paid: "Paid ¢",
    total: "Money ¢",
    "of-120": "{side}: {n} of 120",
  },
  {
    C: "Kreuz",
    S: "Pik",
    H: "Herz",
    D: "Karo",
    T: "Trumpf",
    A: "Ass",
    K: "König",
    Q: "Dame",
    J: "Bube",
    "10": "Zehn",
    "9": "Neun",
    "8": "Acht",
    "7": "Sieben",
    joker: "Joker",
    "joker-nola": "Joker, Karo-Sieben",
    "card-of": "{suit}-{rank}",
    "face-down": "verdeckte Karte",
    "n-points": "{n} Punkt | {n} Punkte",
    picker: "Aufnehmer",
    partner: "Partner",
    "partner-secret": "Partner, heimlich",
    alone: "Allein",
    dealer: "Geber",
    passed: "passt",
    "is-turn": "am Zug",
    "n-cards": "{n} Karte | {n} Karten",
    "n-tricks": "{n} Stich | {n} Stiche",
    queens: "hat {cards} gezeigt",
    "black-queens": "die schwarzen Damen",
    "red-queens": "die roten Damen",
    cents: "{n} ct",
    money: "Geld",
    hand: "Spiel {number} von {all}",
    "picks-alone": "{name} spielt allein",
    calls: "{name} ruft",
    picked: "{name} hat aufgenommen",
    "you-alone": "Du spielst allein",
    "you-call": "Du rufst",
    "you-picked": "Du hast aufgenommen",
    "no-picker": "Noch hat niemand aufgenommen",
    "called-suit": "gerufene Farbe: {suit}",
    "with-unknown": "mit einer verdeckten Karte",
    "partner-hidden": "Partner noch unbekannt",
    "partner-is": "Partner: {name}",
    "partner-you": "du bist der Partner",
    nola: "Nola",
    "nola-rule": "Niemand nahm auf: kein Trumpf, der Joker ist die Karo-Sieben. Wer den letzten Stich nimmt, zahlt; wer alle sechs nimmt, gewinnt.",
    leaster: "Leaster",
    "leaster-rule": "Niemand nahm auf: die wenigsten Punkte mit mindestens einem Stich gewinnen. Der Blind geht an den letzten Stich.",
    double: "Doppelt: dieses Spiel | Doppelt: {n} Spiele",
    "double-next": "Doppelt: nächstes Spiel | Doppelt: nächste {n} Spiele",
    "pays-times": "Zahlt × {times}",
    "picker-side": "Aufnehmerseite",
    others: "Andere",
    "and-bury": "und Gedrücktes",
    sides: "Punkte beider Seiten",
    blind: "Blind",
    "from-blind": "aus dem Blind",
    "led-suit": "{suit} ausgespielt",
    "trick-of": "Stich {trick} von 6",
    "in-trick": "{n} Punkt darin | {n} Punkte darin",
    winning: "nimmt ihn bisher",
    "takes-trick": "{name} nimmt den Stich",
    "you-take-trick": "Du nimmst den Stich",
    "last-trick": "Letzter Stich",
    "your-hand": "Deine Hand",
    "hand-of": "Hand von {name}",
    buried: "Gedrückt",
    unknown: "Verdeckt",
    pick: "Aufnehmen",
    pass: "Passen",
    "bury-slot": "Karte zum Drücken",
    bury: "Drücken",
    "bury-none": "Hebe zwei Karten aus deiner Hand.",
    "bury-one": "Hebe noch eine Karte.",
    "bury-points": "{n} Punkt für deine Seite | {n} Punkte für deine Seite",
    "bury-trump": "Es ist Trumpf dabei.",
    "bury-last": "Dann lässt sich {suits} nicht rufen.",
    "no-call": "Nicht zu rufen:",
    "why-held": "{card}: hast du selbst",
    "why-buried": "{card}: hast du gedrückt",
    "why-void": "{card}: kein {suit} behalten",
    "call-ace": "Ass zum Rufen",
    "lay-down": "Hebe die Karte, die dafür verdeckt liegt.",
    "lay-and-call": "{card} rufen, {laid} verdeckt",
    "choose-ace": "Wähle das Ass.",
    "play-alone": "Allein spielen",
    call: "{card} rufen",
    "hand-over": "Das Spiel ist vorbei",
    "next-hand": "Nächstes Spiel",
    "nobody-picked": "Niemand nahm auf",
    player: "Spieler",
    points: "Punkte",
    tricks: "Stiche",
    paid: "Zahlung ct",
    total: "Geld ct",
    "of-120": "{side}: {n} von 120",
  },
);

const SYMBOLS = { C: "♣", S: "♠", H: "♥", D: "♦" };

/** A card for people's eyes: 10♥. */
export function shortOf(card: string): string {
  const { rank, suit } = faceOf(card);
  if (card === FACE_DOWN) return say("face-down");
  return suit ? rank + SYMBOLS[suit] : say("joker");
}

/** A card in words: queen of clubs. */
function nameOfCard(card: string, isNola = false): string {
  if (card === FACE_DOWN) return say("face-down");
  const { rank, suit } = faceOf(card);
  if (card === JOKER || !suit) return say(isNola ? "joker-nola" : "joker");
  return say("card-of", { rank: say(rank as "A"), suit: say(suit) });
}

/** A card as a screen reader says it: queen of clubs, trump, 3 points. */
export function spoken(card: string, isNola = false): string {
  const parts = [nameOfCard(card, isNola)];
  if (!isNola && isTrump(card)) parts.push(say("T"));
  if (pointsOf(card) && !isNola) parts.push(say("n-points", { n: pointsOf(card) }));
  return parts.join(", ");
}

/** Says who takes a trick. */
export function takes(table: TableInfo, seat: number): string {
  return seat === table.you ? say("you-take-trick") : say("takes-trick", { name: nameOf(table, seat) });
}

/** A number with its sign; nothing is 0. */
export function signed(n: number): string {
  return `${n > 0 ? "+" : n < 0 ? "−" : ""}${Math.abs(n)}`;
}
