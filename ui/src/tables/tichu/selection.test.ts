import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import type { Choice } from "../../wire";
import { legalBombs, listed, matches, nextBomb, toggleRank, useful } from "./selection";

const play = (cards: string, phoenix: string | null = null, words = ""): Choice => ({
  text: cards,
  kind: "play",
  words,
  cards: cards.split(" "),
  phoenix,
});
const texts = (raised: string, choices: Choice[]) =>
  matches(raised.split(" ").filter(Boolean), choices).map((match) => match.text);

test("raised cards are a legal play in any order", () => {
  const choices = [play("9R 9G", null, "pair of nines: 9R 9G"), play("9R")];
  deepEqual(texts("9G 9R", choices), ["9G 9R"]);
  equal(matches(["9G", "9R"], choices)[0]!.words, "pair of nines");
  deepEqual(texts("", choices), []);
});

test("cards of the same ranks are the same play", () => {
  deepEqual(texts("9S 9G", [play("9R 9G")]), ["9S 9G"]);
});

test("a straight of one suit is not the straight that is listed with mixed suits", () => {
  const mixed = play("2R 3R 4R 5R 6G");
  deepEqual(texts("2R 3R 4R 5R 6R", [mixed]), []);
  deepEqual(texts("2R 3R 4R 5R 6R", [mixed, play("2R 3R 4R 5R 6R")]), ["2R 3R 4R 5R 6R"]);
});

test("the Phoenix may stand for several ranks, the highest first", () => {
  const choices = [play("2R 3R 4R 5G Ph", "6"), play("8R 8G 9R 9G Ph", "8"), play("8R 8G 9R 9G Ph", "9")];
  deepEqual(texts("Ph 8R 8G 9R 9G", choices), ["Ph=9 8R 8G 9R 9G", "Ph=8 8R 8G 9R 9G"]);
});

test("reviews get the choice that stands for the raised cards", () => {
  const choices = [{ ...play("9R 9G"), text: "9R 9G" }, play("2R 3R 4R 5R 6R")];
  equal(listed("9S 9B", choices), "9R 9G");
  equal(listed("2R 3R 4R 5R 6G", choices), "2R 3R 4R 5R 6G");
  equal(listed("pass", choices), "pass");
});

test("only cards of legal plays that go with the raised ones are of use", () => {
  const hand = "2R 5R 9R 9G 9B KS".split(" ");
  const choices = [play("9R 9G"), play("KS"), { text: "pass", kind: "pass", words: "pass" }];
  deepEqual([...useful(hand, [], choices)], ["9R", "9G", "9B", "KS"]);
  deepEqual([...useful(hand, ["9B"], choices)].sort(), ["9B", "9G", "9R"]);
});

test("a bomb of one suit lights its own cards alone", () => {
  const hand = "2R 2G 3R 4R 5R 6R".split(" ");
  equal(useful(hand, [], [play("2R 3R 4R 5R 6R")]).has("2G"), false);
});

test("a rank key raises one card after the other, then lowers them", () => {
  const hand = ["9R", "9G", "KS"];
  deepEqual(toggleRank(hand, [], "9"), ["9R"]);
  deepEqual(toggleRank(hand, ["9R", "KS"], "9"), ["9R", "KS", "9G"]);
  deepEqual(toggleRank(hand, ["9R", "KS", "9G"], "9"), ["KS"]);
});

test("the bomb button goes from bomb to bomb", () => {
  const bombs = legalBombs([play("3R 3G 3B 3S"), play("2R 2G 3R 3G"), play("2R 3R 4R 5R 6R")]);
  equal(bombs.length, 2);
  deepEqual(nextBomb([], bombs), bombs[0]);
  deepEqual(nextBomb(bombs[0]!, bombs), bombs[1]);
  deepEqual(nextBomb(bombs[1]!, bombs), bombs[0]);
});
