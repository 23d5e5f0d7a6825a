// Questions in the middle of the table: pick, bury, call, show queens, double. Only what is legal is offered.
import { CardBack, FrenchCard } from "../../cards/frenchcard";
import { isTrump, sumOf } from "../../cards/french";
import type { Choice, SheepheadPicture } from "../../wire";
import { say, shortOf, spoken } from "../../words/sheephead";
import { aceOf, deniedCalls, readyChoice, suitsLost, unknownAces, type Draft } from "./state";

interface AskProps {
  picture: SheepheadPicture;
  choices: Choice[];
  draft: Draft;
  setDraft: (draft: Draft) => void;
  play: (action: string) => void;
}

export function Ask(props: AskProps) {
  switch (props.picture.phase) {
    case "bid":
      return <Bid {...props} />;
    case "bury":
      return <Bury {...props} />;
    case "declare":
      return <Declare {...props} />;
    case "blitz":
    case "crack":
      return <Doubling {...props} />;
    default:
      return null;
  }
}

interface OptionProps {
  choice: Choice;
  words: string;
  play: (action: string) => void;
  isMain: boolean;
}

function Option({ choice, words, play, isMain }: OptionProps) {
  return (
    <button class={`button ${isMain ? "primary" : ""}`} data-choice={choice.text} data-lit onClick={() => play(choice.text)}>
      {words}
    </button>
  );
}

/** What does something first, then what does not. */
const passLast = (choices: Choice[]): Choice[] =>
  [...choices].sort((a, b) => Number(a.kind === "pass") - Number(b.kind === "pass"));

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function Bid({ choices, play }: AskProps) {
  return (
    <div class="sh-ask" role="group" aria-label={say("blind")} data-testid="ask-bid">
      <div class="sh-slots" role="img" aria-label={say("blind")}><CardBack /><CardBack /></div>
      <div class="sh-options">
        {passLast(choices).map((choice) => (
          <Option
            choice={choice}
            words={choice.kind === "pick" ? say("pick") : choice.kind === "pass" ? say("pass") : capital(choice.words)}
            play={play}
            isMain={choice.kind === "pick"}
          />
        ))}
      </div>
    </div>
  );
}

function Doubling({ choices, play }: AskProps) {
  return (
    <div class="sh-ask" data-testid="ask-double">
      <div class="sh-options">
        {passLast(choices).map((choice) => (
          <Option choice={choice} words={capital(choice.words)} play={play} isMain={choice.kind !== "pass"} />
        ))}
      </div>
    </div>
  );
}

function Slot({ card, empty }: { card: string | undefined; empty: string }) {
  return (
    <div class="sh-slot" role="img" aria-label={card ? spoken(card) : empty}>
      {card && <FrenchCard card={card} />}
    </div>
  );
}

function Bury({ picture, choices, draft, play }: AskProps) {
  const { raised } = draft;
  const choice = readyChoice(choices, draft);
  return (
    <div class="sh-ask" data-testid="ask-bury">
      <div class="sh-slots">
        {[0, 1].map((i) => <Slot card={raised[i]} empty={say("bury-slot")} />)}
      </div>
      <p class="sh-note" aria-live="polite">{buryWords(picture, raised)}</p>
      <div class="sh-options">
        <button
          class="button primary"
          disabled={!choice}
          data-lit={choice ? true : undefined}
          data-testid="bury"
          data-choice={choice?.text}
          onClick={() => choice && play(choice.text)}
        >
          {choice ? `${say("bury")} ${raised.map(shortOf).join(" ")}` : say("bury")}
        </button>
      </div>
    </div>
  );
}

/** What the raised cards mean if they are buried. */
function buryWords(picture: SheepheadPicture, raised: string[]): string {
  if (raised.length < 2) return say(raised.length ? "bury-one" : "bury-none");
  const lost = suitsLost(picture.hand, raised);
  return [
    say("bury-points", { n: sumOf(raised) }) + ".",
    raised.some(isTrump) ? say("bury-trump") : "",
    lost.length ? say("bury-last", { suits: lost.map((suit) => say(suit)).join(", ") }) : "",
  ].join(" ").trim();
}

function Declare(props: AskProps) {
  const { picture, choices, play } = props;
  const alone = choices.find((choice) => choice.kind === "alone");
  const calls = choices.filter((choice) => choice.kind === "call");
  const aces = unknownAces(choices);
  return (
    <div class="sh-ask" data-testid="ask-call">
      {calls.length > 0 && (
        <div class="sh-slots">
          {calls.map((choice) => (
            <button
              class="sh-pickcard"
              data-choice={choice.text}
              data-lit
              onClick={() => play(choice.text)}
            >
              <FrenchCard card={String(choice.cards![0])} />
              <span aria-hidden="true">{say("call", { card: shortOf(String(choice.cards![0])) })}</span>
              <span class="hidden-label">{say("call", { card: spoken(String(choice.cards![0])) })}</span>
            </button>
          ))}
        </div>
      )}
      {aces.length > 0 && <Unknown {...props} aces={aces} />}
      <WhyNot picture={picture} choices={choices} />
      {alone && (
        <div class="sh-options">
          <Option choice={alone} words={say("play-alone")} play={play} isMain={!calls.length && !aces.length} />
        </div>
      )}
    </div>
  );
}

/** Says why the other aces, or tens, are not offered. */
function WhyNot({ picture, choices }: { picture: SheepheadPicture; choices: Choice[] }) {
  const denied = deniedCalls(picture, choices);
  if (!denied.length) return null;
  const reasons = denied.map(({ card, suit, why }) => say(`why-${why}`, { card: shortOf(card), suit: say(suit) }));
  return <p class="sh-note" data-testid="why-not">{say("no-call")} {reasons.join(" · ")}</p>;
}

/** An ace that is called with a card of the hand face down: the ace here, the card in the hand. */
function Unknown({ choices, draft, setDraft, play, aces }: AskProps & { aces: string[] }) {
  const ace = aceOf(choices, draft);
  const laid = draft.raised[0];
  const choice = readyChoice(choices, draft);
  const words = choice
    ? say("lay-and-call", { card: shortOf(ace!), laid: shortOf(laid!) })
    : say("call", { card: ace ? shortOf(ace) : "…" });
  return (
    <>
      <div class="sh-slots" role="radiogroup" aria-label={say("call-ace")}>
        {aces.map((card) => (
          <button
            class={`sh-pickcard ${card === ace ? "is-chosen" : ""}`}
            role="radio"
            aria-checked={card === ace}
            data-ace={card}
            data-lit
            onClick={() => setDraft({ ...draft, ace: card })}
          >
            <FrenchCard card={card} />
            <span class="hidden-label">{spoken(card)}</span>
          </button>
        ))}
        <span class="sh-plus" aria-hidden="true">+</span>
        <Slot card={laid} empty={say("unknown")} />
      </div>
      <p class="sh-note" aria-live="polite">{!laid ? say("lay-down") : !ace ? say("choose-ace") : ""}</p>
      <div class="sh-options">
        <button
          class="button primary"
          disabled={!choice}
          data-lit={choice ? true : undefined}
          data-testid="call-unknown"
          data-choice={choice?.text}
          onClick={() => choice && play(choice.text)}
        >
          {words}
        </button>
      </div>
    </>
  );
}
