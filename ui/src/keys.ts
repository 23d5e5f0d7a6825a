// Keys that work wherever one is on a page.
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

const TYPED = "input:not([type=radio]):not([type=checkbox]), select, textarea";
const PRESSED = "button, a, summary, [role=button]";

/** Whether what has the focus wants the key for itself. */
function isBusy(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return true;
  const target = event.target as Element | null;
  if (!target?.matches) return false;
  if (target.matches(TYPED)) return true;
  if (event.key === " ") return target.matches(PRESSED);
  // Outside of the felt, Enter presses the button that has the focus.
  if (event.key === "Enter") return target.matches(PRESSED) && !target.closest(".room-felt");
  return event.key.startsWith("Arrow") && target.matches("[role=tab], input");
}
