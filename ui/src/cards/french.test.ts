import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import { beats, FACE_DOWN, faceOf, pointsOf, sorted, suitOf, sumOf, TRUMPS } from "./french";

const RANKS = ["7", "8", "9", "10", "J", "Q", "K", "A"];
const DECK = ["C", "S", "H", "D"].flatMap((suit) => RANKS.map((rank) => rank + suit));
const CARDS = DECK.map((card) => (card === "7D" ? "joker" : card));

test("the deck counts 120 points", () => {
  equal(sumOf(CARDS), 120);
  equal(pointsOf("joker"), 0);
});

test("fourteen cards are trump, and none in Nola", () => {
  equal(CARDS.filter((card) => suitOf(card, false) === "T").length, TRUMPS.length);
  equal(CARDS.filter((card) => suitOf(card, true) === "D").length, 8);
});

test("names are read as rank and suit", () => {
  deepEqual(faceOf("10H"), { rank: "10", suit: "H" });
  deepEqual(faceOf("joker"), { rank: "", suit: null });
});

test("trump beats a suit, the higher of a suit beats the lower, another suit beats nothing", () => {
  equal(beats("8D", "AC", false), true);
  equal(beats("joker", "QS", false), true);
  equal(beats("QC", "joker", false), true);
  equal(beats("10H", "KH", false), true);
  equal(beats("AS", "7H", false), false);
});

test("in Nola tens are low, diamonds are a suit and the joker is its seven", () => {
  equal(beats("10H", "KH", true), false);
  equal(beats("QC", "7H", true), false);
  equal(beats("joker", "8D", true), false);
});

test("a card face down takes nothing, and every card of its suit takes from it", () => {
  equal(beats(FACE_DOWN, "7C", false), false);
  equal(beats("QC", FACE_DOWN, false), true);
});

test("hands are held trumps first", () => {
  deepEqual(sorted(["7H", "AD", "AC", "QC", "joker"], false), ["QC", "joker", "AD", "AC", "7H"]);
  deepEqual(sorted(["joker", "AD", "7H", "QC"], true), ["QC", "7H", "AD", "joker"]);
});
