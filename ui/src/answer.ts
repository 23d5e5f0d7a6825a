// An answer of the server, for a page that shows it.
import { useEffect, useState } from "preact/hooks";

interface Answer<T> {
  answer: T | null;
  error: string;
  again: () => void;
}

/** Asks when the page appears and when something in `about` changes; then every `every` ms. */
export function useAnswer<T>(ask: () => Promise<T>, about: unknown[], every = 0): Answer<T> {
  const [state, setState] = useState<{ answer: T | null; error: string }>({ answer: null, error: "" });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const run = () =>
      void ask().then(
        (answer) => isCurrent && setState({ answer, error: "" }),
        (refusal: Error) =>
          isCurrent && setState((now) => ({ answer: now.answer, error: refusal.message })),
      );
    run();
    const timer = every ? setInterval(() => document.hidden || run(), every) : 0;
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [...about, turn]);
  return { ...state, again: () => setTurn((n) => n + 1) };
}
