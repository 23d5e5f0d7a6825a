// A position that was shared or typed: choose, then see what the coach thinks.
import { useEffect, useState } from "preact/hooks";
import { analyse } from "../api";
import { OpinionBars } from "../bars";
import { Copy } from "../copy";
import { labelOf } from "../opinions";
import { go } from "../router";
import type { Analysis } from "../wire";
import { coachSays, knownWords } from "../words/coach";
import { look } from "../words/review";
import { say } from "../words/shell";
import { Board, ChoiceList } from "./board";
import { costText } from "./mistakes";
import { lossOf, positionLink } from "./model";
import "../style/review.css";

const EXAMPLE = "connect4 4453";

export function PositionPage() {
  const asked = new URLSearchParams(location.search).get("at") ?? "";
  const [text, setText] = useState(asked);
  const { found, error, isBusy, show } = useAnalysis();
  useEffect(() => {
    if (asked) void show(asked);
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    go(positionLink(text.trim()), true);
    void show(text.trim());
  };
  return (
    <>
      <h1>{say("analysis")}</h1>
      <form class="position-form" onSubmit={submit}>
        <label class="field">
          <span>{look("position-about")}</span>
          <input class="input" spellcheck={false} autoComplete="off" placeholder={EXAMPLE} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button class="button primary" disabled={isBusy}>{look("position-go")}</button>
      </form>
      {error && <p class="error" role="alert">{error}</p>}
      {isBusy && <p class="muted" role="status">{look("asking")}</p>}
      {found && <Shown key={found.position} found={found} />}
    </>
  );
}

/** What the server makes of a position, asked for by `show`. */
function useAnalysis() {
  const [found, setFound] = useState<Analysis | null>(null);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const show = async (position: string) => {
    setBusy(true);
    setError("");
    setFound(null);
    try {
      setFound(await analyse(position));
    } catch (refusal) {
      setError(say("went-wrong", { why: (refusal as Error).message }));
    }
    setBusy(false);
  };
  return { found, error, isBusy, show };
}

function Shown({ found }: { found: Analysis }) {
  const [chosen, setChosen] = useState("");
  const [isShown, setShown] = useState(false);
  const { table, hint, choices } = found;
  const choose = !chosen && !isShown && choices.length ? setChosen : undefined;
  return (
    <div class="review">
      <section class="review-player" aria-label={look("position-text")}>
        <p class={`room-prompt ${choose ? "is-yours" : ""}`} role="status">{found.prompt}</p>
        <div class="review-felt room-felt" data-testid="table">
          <Board table={table} picture={found.picture} choices={choices} prompt={found.prompt} choose={choose} />
        </div>
      </section>
      <div class="review-side">
        <section class="panel review-decision" aria-labelledby="ask">
          <h2 id="ask">{hint ? look("position-ask") : look("position-none")}</h2>
          {chosen && <p role="status" data-testid="verdict">{look("verdict", { what: labelOf(chosen, choices), words: said(found, chosen) })}</p>}
          {choose && <ChoiceList choices={choices} choose={choose} isOpen={choices.length <= 8} />}
          <div class="review-buttons">
            {hint && (
              <button class="button" data-testid="answer" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
                {look(isShown ? "hide-answer" : "show-opinions")}
              </button>
            )}
            {chosen && <button class="button" onClick={() => setChosen("")}>{look("try")}</button>}
            <Copy text={location.origin + positionLink(found.position)} label={look("position-share")} done={say("copied")} byHand={look("copy-by-hand")} />
          </div>
          {hint && isShown && (
            <div class="review-answer">
              <p class="eyes"><b>{coachSays("from-your-seat")}</b> {knownWords(table.secrets)}</p>
              <OpinionBars hint={hint} choices={choices} unit={table.unit} played={chosen} />
            </div>
          )}
        </section>
      </div>
    </div>
  );
}

/** What the coach says of a choice, without its own. */
function said({ hint, table }: Analysis, chosen: string): string {
  if (!hint) return "";
  if (hint.opinions[0]?.text === chosen) return look("position-best");
  const loss = lossOf(hint.opinions, chosen);
  return loss === null ? look("position-other") : look("position-cost", { loss: costText(loss, hint.kind, table.unit) });
}
