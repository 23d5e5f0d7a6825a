// The frame of ordinary pages: a bar with the ways, then the content.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { GearIcon, Logo } from "./icons";
import { SettingsDialog } from "./dialogs";
import { say } from "./words/shell";

const WAYS = ["daily", "practice", "import", "results", "fairness"] as const;

export function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    document.title = title === "kibitz" ? title : `${title} – kibitz`;
  }, [title]);
  return (
    <>
      <a class="skip-link" href="#content">{say("skip-to-content")}</a>
      <header class="top">
        <a class="top-brand" href="/" aria-label="kibitz"><Logo /><span>kibitz</span></a>
        <nav>
          {WAYS.map((way) => (
            <a href={`/${way}`} aria-current={location.pathname === `/${way}` ? "page" : undefined}>
              {say(way)}
            </a>
          ))}
        </nav>
        <button class="button quiet small" aria-label={say("settings")} onClick={() => setOpen(true)}>
          <GearIcon />
        </button>
      </header>
      <main class="page" id="content">{children}</main>
      {isOpen && <SettingsDialog close={() => setOpen(false)} />}
    </>
  );
}
