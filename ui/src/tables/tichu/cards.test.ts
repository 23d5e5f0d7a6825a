import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import { bombsIn, combinationOf, isFlush, rankOf, readPlay, suitOf, writePlay } from "./cards";

test("cards have a rank and a suit, or a name of their own", () => {
  deepEqual(["TB", "Ma", "Ph", "Dr", "Dog"].map(rankOf), ["T", "Ma", "Ph", "Dr", "Dog"]);
  deepEqual(["TB", "Ma", "Ph", "Dr", "Dog"].map(suitOf), ["B", null, null, null, null]);
});

test("plays are read and written with what the Phoenix stands for", () => {
  const text = "5R 6R 7G Ph=8 9S";
  const play = readPlay(text);
  deepEqual(play, { cards: ["5R", "6R", "7G", "Ph", "9S"], phoenix: "8" });
  equal(writePlay(play.cards, play.phoenix), text);
});

test("combinations are told by their cards", () => {
  const kind = (text: string) => {
    const { cards, phoenix } = readPlay(text);
    const found = combinationOf(cards, phoenix);
    return `${found.kind} ${found.rank} ${found.length}`;
  };
  equal(kind("9R"), "single 9 1");
  equal(kind("9R Ph=9"), "pair 9 2");
  equal(kind("9R 9G Ph=9"), "trio 9 3");
  equal(kind("3R 3G 2S 2B Ph=2"), "full-house 2 5");
  equal(kind("Ma 2R 3R 4R Ph=5"), "straight 5 5");
  equal(kind("2R 3R 4R 5R 6R"), "bomb 6 5");
  equal(kind("TR TG JR JS QB Ph=Q"), "steps Q 6");
  equal(kind("7R 7G 7B 7S"), "bomb 7 4");
});

test("bombs are four of a rank and long rows of one suit", () => {
  const hand = "Dog 2R 3R 4R 5R 6R 7G 7B 7S 7R 9S Ph".split(" ");
  deepEqual(bombsIn(hand), [["7G", "7B", "7S", "7R"], ["2R", "3R", "4R", "5R", "6R", "7R"]]);
  deepEqual(bombsIn(["2R", "3R", "4R", "5R", "Ph"]), []);
  equal(isFlush(["2R", "3R", "4R", "5R", "Ph"]), false);
});
