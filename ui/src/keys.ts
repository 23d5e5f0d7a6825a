// Keys of the page and of its tables.
import { useEffect } from "preact/hooks";

/** Calls what belongs to a key, unless somebody types or a dialog is open. */
export function useKeys(keys: Record<string, (() => void) | undefined>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const call = keys[event.key];
      if (!call || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return;
      event.preventDefault();
      call();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}

function isBusy(event: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true;
  const target = event.target as HTMLElement | null;
  const isText = target?.matches?.("input:not([type=radio]):not([type=checkbox]), select, textarea");
  return Boolean(isText) || (event.key === " " && Boolean(target?.matches?.("button, a, summary")));
}
