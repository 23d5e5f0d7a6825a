import { test } from "node:test";
import { equal } from "node:assert/strict";
import { checkCommand } from "./fair";

test("the command names the record, the fingerprint and the salt", () => {
  const fairness = { commitment: "ab", seed: "7", salt: "cd" };
  equal(checkCommand({ id: "x1", fairness }), "kibitz fair kibitz-x1.jsonl --fingerprint ab --salt cd");
});

test("there is nothing to check before the end", () => {
  equal(checkCommand({ id: "x1", fairness: { commitment: "ab", seed: null, salt: null } }), null);
});
