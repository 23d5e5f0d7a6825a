// The frame of ordinary pages: a bar with the ways, then the content.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { GearIcon, Logo } from "./icons";
import { KeysDialog, SettingsDialog } from "./dialogs";
import { useKeys } from "./keys";
import { say } from "./words/shell";

const WAYS = ["daily", "practice", "import", "results", "fairness"] as const;

export function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  const [open, setOpen] = useState<"" | "settings" | "keys">("");
  useEffect(() => {
    document.title = title === "kibitz" ? title : `${title} – kibitz`;
  }, [title]);
  useKeys({ "?": () => setOpen("keys") });
  return (
    <>
      <a class="skip-link" href="#content">{say("skip-to-content")}</a>
      <header class="top">
        <a class="top-brand" href="/" aria-label="kibitz"><Logo /><span>kibitz</span></a>
        <nav aria-label={say("ways")}>
          {WAYS.map((way) => (
            <a href={`/${way}`} aria-current={location.pathname === `/${way}` ? "page" : undefined}>
              {say(way)}
            </a>
          ))}
        </nav>
        <button class="button quiet small" aria-label={say("settings")} onClick={() => setOpen("settings")}>
          <GearIcon />
        </button>
      </header>
      <main class="page" id="content" tabIndex={-1}>{children}</main>
      {open === "settings" && <SettingsDialog close={() => setOpen("")} />}
      {open === "keys" && <KeysDialog close={() => setOpen("")} />}
    </>
  );
}
