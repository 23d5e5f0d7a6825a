// Copies text; where the browser forbids that, the text is shown so that one can.
import { useEffect, useState } from "preact/hooks";
import { say } from "./words/shell";
import "./style/check.css";

interface CopyProps {
  text: string;
  label: string;
  done: string; // what is said when it is copied
  byHand: string; // label of the text, if it has to be copied by hand
  kind?: string; // classes of the button
}

export function Copy({ text, label, done, byHand, kind = "" }: CopyProps) {
  const [state, setState] = useState<"" | "done" | "forbidden">("");
  useEffect(() => setState(""), [text]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("done");
    } catch {
      setState("forbidden"); // no permission, or a page without https
    }
  };
  return (
    <>
      <button class={`button ${kind}`} onClick={() => void copy()}>{label}</button>
      <span role="status" class={state === "done" ? "copied" : "hidden-label"}>{state === "done" && done}</span>
      {state === "forbidden" && (
        <label class="field copied">
          <span>{byHand}</span>
          <input class="input" readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
    </>
  );
}

/** A link that one sends to others, in sight, with a button that copies it. */
export function ShareLink({ address, label }: { address: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (field: HTMLInputElement) => {
    field.select();
    try {
      await navigator.clipboard.writeText(address);
      setCopied(true);
    } catch {
      // It stays selected, to be copied by hand.
    }
  };
  return (
    <div class="share-link">
      <input class="input" readOnly value={address} aria-label={label} onFocus={(event) => event.currentTarget.select()} />
      <button class="button" onClick={(event) => void copy(event.currentTarget.previousElementSibling as HTMLInputElement)}>
        {isCopied ? say("copied") : say("copy")}
      </button>
      <span class="hidden-label" role="status">{isCopied && say("copied")}</span>
    </div>
  );
}
