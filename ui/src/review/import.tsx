// Games from elsewhere: pasted, dropped or chosen as files.
import { useState } from "preact/hooks";
import { importText } from "../api";
import type { Imported } from "../wire";
import { look } from "../words/review";
import { say } from "../words/shell";
import "../style/review.css";

const MOST = 2e6; // characters
const MOST_REFUSED = 20;

export function ImportPage() {
  const [text, setText] = useState("");
  const [found, setFound] = useState<Imported | null>(null);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const read = async (wanted: string) => {
    setFound(null);
    if (!wanted.trim()) return setError(look("import-empty"));
    if (wanted.length > MOST) return setError(look("import-big", { n: MOST / 1e6 }));
    setError("");
    setBusy(true);
    try {
      setFound(await importText(wanted));
    } catch (refusal) {
      setError(say("went-wrong", { why: (refusal as Error).message }));
    }
    setBusy(false);
  };
  const take = async (files: FileList | null | undefined) => {
    const texts = await Promise.all([...(files ?? [])].map((file) => file.text()));
    if (!texts.length) return;
    const all = texts.join("\n");
    if (all.length <= 20_000) setText(all);
    await read(all);
  };
  return (
    <>
      <h1>{say("import")}</h1>
      <p class="muted">{look("import-about")}</p>
      <Form text={text} setText={setText} read={read} take={take} isBusy={isBusy} />
      {error && <p class="error" role="alert">{error}</p>}
      {isBusy && <p class="muted" role="status">{say("loading")}</p>}
      {found && <Found found={found} />}
      <p><a href="/position">{say("type-position")}</a></p>
    </>
  );
}

interface FormProps {
  text: string;
  setText: (text: string) => void;
  read: (text: string) => Promise<void>;
  take: (files: FileList | null | undefined) => Promise<void>;
  isBusy: boolean;
}

function Form({ text, setText, read, take, isBusy }: FormProps) {
  const [isOver, setOver] = useState(false);
  return (
    <form
      class={`panel import ${isOver ? "is-over" : ""}`}
      onSubmit={(event) => {
        event.preventDefault();
        void read(text);
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer?.files);
      }}
    >
      <label class="field">
        <span>{look("import-text")}</span>
        <textarea class="input" rows={8} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="review-buttons">
        <button class="button primary" data-testid="import" disabled={isBusy}>{look("import-go")}</button>
        <label class="button import-file">
          {look("import-file")}
          <input type="file" multiple accept=".jsonl,.json,.txt,.log,.tch" onChange={(event) => void take(event.currentTarget.files)} />
        </label>
        <span class="muted wide-only">{look("import-drop")}</span>
      </div>
    </form>
  );
}

function Found({ found }: { found: Imported }) {
  const { tables, refused } = found;
  return (
    <section class="panel" aria-live="polite" data-testid="imported">
      <h2>{look("import-done", { n: tables.length })}</h2>
      <ul class="lines">
        {tables.map((table) => (
          <li>
            <span>
              <b>{table.title}</b> <small class="muted">{table.seats.map((seat) => seat.name).join(", ")}</small>
            </span>
            <a class="button small" href={`/t/${table.id}/review`}>{say("review")}</a>
          </li>
        ))}
      </ul>
      {refused.length > 0 && (
        <>
          <p>{look("import-refused", { n: refused.length })}</p>
          <ul class="refused">
            {refused.slice(0, MOST_REFUSED).map((why) => <li class="error">{why}</li>)}
          </ul>
        </>
      )}
    </section>
  );
}
