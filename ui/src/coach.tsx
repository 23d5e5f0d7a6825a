// What the coach thinks of each action, while one looks.
import { OpinionBars } from "./bars";
import { labelOf, opinionText } from "./opinions";
import type { Settings } from "./settings";
import type { HintMessage, Snapshot } from "./wire";
import { number } from "./words";
import { coachSays, knownWords } from "./words/coach";

interface CoachProps {
  snapshot: Snapshot;
  hint: HintMessage | null; // the newest for this decision
  isAsking: boolean;
  ask: () => void;
  stop: () => void;
  play: (action: string) => void;
  settings: Settings;
}

export function Coach({ snapshot, hint, isAsking, ask, stop, play }: CoachProps) {
  const isYours = snapshot.decision !== null;
  const { secrets } = snapshot.table;
  if (snapshot.table.you < 0) return <p class="muted">{coachSays("not-yours")}</p>;
  if (!isYours) return <p class="muted">{coachSays("not-now")}</p>;
  const isThinking = isAsking && !hint?.final;
  return (
    <div class="coach" data-testid="coach">
      <h2 class="coach-seat">{coachSays("from-your-seat")}</h2>
      <p class="muted coach-about">{hint ? knownWords(secrets) : coachSays(secrets ? "ask-about" : "ask-plain")}</p>
      <div class="coach-state">
        {!hint && !isAsking && (
          <button class="button primary" data-testid="ask" onClick={ask}>{coachSays("ask")}</button>
        )}
        {(hint || isAsking) && <p class="muted">{progress(hint, isThinking)}</p>}
        {isThinking && (
          <button class="button small" data-testid="stop-hint" onClick={stop}>{coachSays("stop")}</button>
        )}
      </div>
      <p class="hidden-label" role="status">{hint?.final && heard(hint, snapshot)}</p>
      {hint && (
        <OpinionBars hint={hint} choices={snapshot.choices} unit={snapshot.table.unit} play={play} />
      )}
    </div>
  );
}

function progress(hint: HintMessage | null, isThinking: boolean): string {
  const n = hint?.sims;
  if (n == null) return coachSays(isThinking ? "thinking" : "done");
  const words = coachSays(isThinking ? "thinking-n" : "done-n", { n });
  return words.replace(String(n), number(n));
}

function heard(hint: HintMessage, snapshot: Snapshot): string {
  const best = hint.opinions[0];
  if (!best) return "";
  const action = labelOf(best.text, snapshot.choices);
  return coachSays("heard", { action, value: opinionText(best, hint.kind) });
}
