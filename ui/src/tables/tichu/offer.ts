// What the server offers the viewer now.
import type { Choice, Snapshot } from "../../wire";
import { legalBombs } from "./selection";

export interface Offer {
  question: "" | "call" | "give" | "wish" | "dragon"; // in the middle of the table
  isOn: boolean; // the table waits for cards or a pass
  mayRaise: boolean;
  isWindow: boolean; // a moment for bombs
  pass: Choice | undefined;
  no: Choice | undefined; // to the question for a call
  call: Choice | undefined; // that may be made beside everything else
  bombs: string[][]; // that may be laid
}

const QUESTIONS = { "no-call": "call", give: "give", wish: "wish", dragon: "dragon" } as const;

export function offerOf({ choices, extra, picture }: Snapshot): Offer {
  const of = (kind: string) => choices.find((choice) => choice.kind === kind);
  const asked = (Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]).find(of);
  const isGiving = picture.game === "tichu" && picture.phase === "exchange";
  const hasPlay = Boolean(of("play"));
  return {
    question: asked ? QUESTIONS[asked] : isGiving ? "give" : "",
    isOn: hasPlay || Boolean(of("pass")),
    mayRaise: hasPlay || Boolean(of("give")),
    isWindow: picture.game === "tichu" && picture.phase === "window" && Boolean(of("pass")),
    pass: of("pass"),
    no: of("no-call"),
    call: of("no-call") ? undefined : [...choices, ...extra].find((choice) => choice.kind === "call"),
    bombs: legalBombs(choices),
  };
}
