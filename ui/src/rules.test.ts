import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import { inOrder, newTable, specOf } from "./rules";
import type { GameInfo } from "./wire";

const game = (name: string, people: string) =>
  ({ name, people, title: "", summary: "", unit: "", hidden: true, options: [], levels: [] }) satisfies GameInfo;

test("house rules take the place of what people usually play", () => {
  const spec = specOf(game("nimmt", "nimmt:rows=free"), { players: "6", rows: "lowest" });
  equal(spec, "nimmt:rows=lowest,players=6,match=round,hands=hidden,deck=full");
});

test("a value that no rule knows is not sent", () => {
  equal(specOf(game("connect4", "connect4"), { opening: "9" }), "connect4:opening=0");
});

test("friends get all other seats", () => {
  const made = newTable(game("nimmt", "nimmt"), { players: "3" }, "club", "friends");
  deepEqual(made.seats, [{ kind: "me" }, { kind: "open" }, { kind: "open" }]);
});

test("a bot may begin", () => {
  const made = newTable(game("connect4", "connect4"), { first: "bot" }, "club", "play");
  deepEqual(made.seats, [{ kind: "bot", level: "club" }, { kind: "me" }]);
});

test("games have one order, and new ones come last", () => {
  const names = ["hearts", "connect4", "nimmt", "tichu"].map((name) => game(name, name));
  deepEqual(inOrder(names).map((one) => one.name), ["nimmt", "tichu", "connect4", "hearts"]);
});
