// What the coach thinks of each action, while one looks.
import type { Settings } from "./settings";
import type { HintMessage, Snapshot } from "./wire";
import { say } from "./words/shell";

export interface CoachProps {
  snapshot: Snapshot;
  hint: HintMessage | null; // the newest for this decision
  isAsking: boolean;
  ask: () => void;
  stop: () => void;
  play: (action: string) => void;
  settings: Settings;
}

export function Coach({ snapshot, hint, ask }: CoachProps) {
  return (
    <div class="coach">
      <button class="button" disabled={snapshot.decision === null} onClick={ask}>{say("hint")}</button>
      <ol>
        {hint?.opinions.map((opinion) => <li>{opinion.text}: {opinion.value?.toFixed(2)}</li>)}
      </ol>
    </div>
  );
}
