// What a person likes, kept in this browser.
import { useEffect, useState } from "preact/hooks";

export type Language = "en" | "de";

export interface Settings {
  theme: "system" | "light" | "dark";
  deck: "normal" | "four-colour" | "high-contrast";
  motion: "system" | "full" | "reduced";
  beat: number; // milliseconds that a play stays before the next one shows, 0 to 2000
  language: Language;
  autoplay: boolean; // play forced cards by itself
}

const KEY = "kibitz.settings";

function usualLanguage(): Language {
  return globalThis.navigator?.language.toLowerCase().startsWith("de") ? "de" : "en"; // tests have none
}

function usual(): Settings {
  return {
    theme: "system",
    deck: "normal",
    motion: "system",
    beat: 600,
    language: usualLanguage(),
    autoplay: false,
  };
}

function load(): Settings {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { ...usual(), ...(typeof kept === "object" ? kept : {}) };
  } catch {
    return usual(); // storage is forbidden or spoilt
  }
}

let current: Settings | null = null;
const watchers = new Set<() => void>();

export function settings(): Settings {
  current ??= load();
  return current;
}

export function change(part: Partial<Settings>): void {
  current = { ...settings(), ...part };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // It lasts until the page is left.
  }
  show(current);
  watchers.forEach((watcher) => watcher());
}

/** Let the page look as the settings say. */
export function show(wanted: Settings): void {
  const root = document.documentElement;
  root.lang = wanted.language;
  root.dataset.theme = wanted.theme;
  root.dataset.deck = wanted.deck;
  root.dataset.motion = movesAllowed(wanted) ? "full" : "reduced";
}

export function movesAllowed(wanted: Settings): boolean {
  if (wanted.motion !== "system") return wanted.motion === "full";
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function useSettings(): Settings {
  const [, redraw] = useState(0);
  useEffect(() => {
    const watcher = () => redraw((n) => n + 1);
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, []);
  return settings();
}
