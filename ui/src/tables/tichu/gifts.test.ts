import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import type { Choice } from "../../wire";
import { askedSlot, NO_GIFTS, nextGift, place, slots } from "./gifts";

const give = (card: string, seat: number): Choice => ({ text: `give ${card}`, kind: "give", words: "", cards: [card], seat });

test("cards fill the slots from the left, and come back by a second click", () => {
  const one = place(NO_GIFTS, "2R", null);
  const two = place(one, "KS", null);
  deepEqual(two, [null, "KS", "2R"]);
  deepEqual(place(two, "2R", null), [null, "KS", null]);
  deepEqual(place(two, "9B", 2), [null, "KS", "9B"]);
});

test("a fourth card changes nothing", () => {
  deepEqual(place(["4R", "KS", "2R"], "9B", null), ["4R", "KS", "2R"]);
});

test("what the server has stays in its slot", () => {
  const hand = ["2R", "KS", "9B"];
  deepEqual(slots(["2R", null, null], ["9B", "KS", "2R"], hand), ["2R", "KS", null]);
  deepEqual(slots([null, null, null], ["AS", "KS", null], hand), [null, "KS", null]);
});

test("the slot that is asked for follows from who gets the card", () => {
  deepEqual([1, 2, 3].map((seat) => askedSlot([give("2R", seat)], 0)), [0, 1, 2]);
  equal(askedSlot([], 0), null);
});

test("gifts go in the order in which the server asks", () => {
  const gifts = ["4R", "KS", "2R"]; // right, partner, left
  const asked = (seat: number) => nextGift(gifts, ["2R", "4R", "KS"].map((card) => give(card, seat)), 3);
  deepEqual([asked(0), asked(1), asked(2)], ["give 4R", "give KS", "give 2R"]);
  equal(nextGift(gifts, [], 3), null);
});
