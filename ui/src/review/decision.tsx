// One decision of a game: what was chosen, another try, and the answer when it is asked for.
import { useEffect, useState } from "preact/hooks";
import { opinions, tryMove } from "../api";
import { OpinionBars } from "../bars";
import { labelOf, type Kind } from "../opinions";
import type { Choice, Insight, ReviewDecision, TableInfo, Verdict } from "../wire";
import { coachSays, knownWords } from "../words/coach";
import { look } from "../words/review";
import { say } from "../words/shell";
import { ChoiceList } from "./board";
import { costText, SizeBadge } from "./mistakes";

export interface Trying {
  isOn: boolean;
  verdict: { action: string; told: Verdict } | null;
  error: string;
  isBusy: boolean;
  begin: () => void;
  stop: () => void;
  choose: (action: string) => void;
}

/** Another try at a decision; the answer stays with the server. */
export function useTrying(table: string, move: number | null): Trying {
  const fresh = { isOn: false, verdict: null, error: "", isBusy: false };
  const [state, setState] = useState<Pick<Trying, keyof typeof fresh>>(fresh);
  useEffect(() => setState(fresh), [table, move]);
  const choose = (action: string) => {
    if (move === null || state.isBusy) return;
    setState((now) => ({ ...now, isBusy: true, error: "" }));
    tryMove(table, move, action).then(
      (told) => setState((now) => ({ ...now, isBusy: false, verdict: { action, told } })),
      (refusal: Error) => setState((now) => ({ ...now, isBusy: false, error: refusal.message })),
    );
  };
  return {
    ...state,
    choose,
    begin: () => setState({ ...fresh, isOn: true }),
    stop: () => setState(fresh),
  };
}

interface DecisionProps {
  table: TableInfo;
  decision: ReviewDecision;
  choices: Choice[];
  trying: Trying;
  kind: Kind | null;
  unit: string;
  isOpen: boolean; // all cards open
}

export function DecisionBox(props: DecisionProps) {
  const { table, decision, choices, trying, kind, unit, isOpen } = props;
  const [isShown, setShown] = useState(false);
  useEffect(() => setShown(false), [decision.move, isOpen]);
  const isMine = decision.seat === table.you;
  const name = table.seats[decision.seat]?.name ?? "";
  return (
    <section class="panel review-decision" aria-labelledby="decision" data-testid="decision">
      <h2 id="decision">
        {look("move", { move: decision.move })} <SizeBadge size={decision.size} />
      </h2>
      <p>
        {isMine
          ? look("you-chose", { what: decision.played_words })
          : look("they-chose", { name, what: decision.played_words })}
      </p>
      <p class="muted">
        {decision.size
          ? look("it-cost", { loss: costText(decision.loss, kind, unit) })
          : look(decision.best === decision.played ? "was-best" : "was-fine")}
      </p>
      {trying.isOn && <Tries trying={trying} choices={choices} />}
      <div class="review-buttons">
        {!trying.isOn && decision.size && choices.length > 1 && (
          <button class="button primary" data-testid="try" onClick={trying.begin}>{look("try")}</button>
        )}
        {trying.isOn && (
          <button class="button" onClick={trying.stop}>{look("stop-trying")}</button>
        )}
        <button class="button" data-testid="answer" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {look(isShown ? "hide-answer" : decision.size ? "show-answer" : "show-opinions")}
        </button>
      </div>
      {isShown && <Answer table={table} move={decision.move} choices={choices} isOpen={isOpen} />}
    </section>
  );
}

function Tries({ trying, choices }: { trying: Trying; choices: Choice[] }) {
  return (
    <>
      <VerdictLine verdict={trying.verdict} choices={choices} />
      {trying.isBusy && <p class="muted" role="status">{look("asking")}</p>}
      {trying.error && <p class="error" role="alert">{say("went-wrong", { why: trying.error })}</p>}
      <ChoiceList choices={choices} choose={trying.choose} isOpen={choices.length <= 8} />
    </>
  );
}

/** What came of a try, in one line; empty before one. */
export function verdictText(verdict: Trying["verdict"], choices: Choice[]): string {
  return verdict ? look("verdict", { what: labelOf(verdict.action, choices), words: verdict.told.words }) : "";
}

/** What came of a try, with a mark; the answer is not in it. */
export function VerdictLine(props: { verdict: Trying["verdict"]; choices: Choice[] }) {
  const { verdict, choices } = props;
  if (!verdict) return null;
  const { size } = verdict.told;
  const isGood = size === "best" || size === "good";
  return (
    <p class={`verdict ${size}`} role="status" data-testid="verdict">
      <span aria-hidden="true">{isGood ? "✓" : "✗"}</span>
      {verdictText(verdict, choices)}
    </p>
  );
}

interface AnswerProps {
  table: TableInfo;
  move: number;
  choices: Choice[];
  isOpen: boolean;
}

/** What the coach thinks of every action, asked when it is wished to be seen. */
export function Answer({ table, move, choices, isOpen }: AnswerProps) {
  const [insight, setInsight] = useState<Insight | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    let isCurrent = true;
    setInsight(null);
    setError("");
    opinions(table.id, move, isOpen).then(
      (found) => isCurrent && setInsight(found),
      (refusal: Error) => isCurrent && setError(refusal.message),
    );
    return () => void (isCurrent = false);
  }, [table.id, move, isOpen]);
  if (error) return <p class="error" role="alert">{say("went-wrong", { why: error })}</p>;
  if (!insight) return <p class="muted" role="status">{look("asking")}</p>;
  return (
    <div class="review-answer">
      <p class={`eyes ${insight.open ? "is-open" : ""}`}>
        <b>{coachSays(insight.open ? "all-open" : "from-your-seat")}</b>{" "}
        {insight.open ? coachSays("all-open-about") : knownWords(table.secrets)}
      </p>
      <OpinionBars hint={insight.hint} choices={choices} unit={table.unit} played={insight.played} />
    </div>
  );
}
