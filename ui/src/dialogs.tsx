// What opens on top of a page: settings, keys, a question.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { changeMe } from "./api";
import { CloseIcon } from "./icons";
import { change, useSettings, type Language, type Settings } from "./settings";
import { number } from "./words";
import { say } from "./words/shell";
import { keyLines as tichuKeys } from "./words/tichu";
import "./style/dialogs.css";

interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
  name?: string; // for tests
  keys?: Record<string, () => void>; // that work while it is open
}

export function Dialog({ title, close, children, name, keys }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
    box.current?.querySelector<HTMLElement>("[autofocus]")?.focus();
  }, []);
  return (
    <dialog
      ref={box}
      aria-label={title}
      data-testid={name}
      onClose={close}
      onKeyDown={(event) => keys?.[event.key]?.()}
      onClick={(event) => event.target === box.current && close()}
    >
      <div class="dialog-head">
        <h2>{title}</h2>
        <button class="button quiet small" aria-label={say("close")} onClick={close}>
          <CloseIcon />
        </button>
      </div>
      {children}
    </dialog>
  );
}

function Choose<Key extends "theme" | "deck" | "motion" | "language">(props: {
  name: Key;
  options: [Settings[Key], string][];
}) {
  const now = useSettings()[props.name];
  return (
    <fieldset class="choose">
      <legend>{say(props.name)}</legend>
      <div class="choose-options">
        {props.options.map(([value, words]) => (
          <label>
            <input
              type="radio"
              name={props.name}
              checked={now === value}
              onChange={() => (props.name === "language" ? speak(value as Language) : change({ [props.name]: value }))}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function Beat() {
  const { beat } = useSettings();
  return (
    <label class="field">
      <span>{say("beat")}: {say("seconds", { n: number(beat / 1000, 1) })}</span>
      <input
        type="range"
        min="0"
        max="2000"
        step="100"
        value={beat}
        onInput={(event) => change({ beat: Number(event.currentTarget.value) })}
      />
    </label>
  );
}

export function Autoplay() {
  const { autoplay } = useSettings();
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={autoplay}
        onChange={(event) => change({ autoplay: event.currentTarget.checked })}
      />
      <span>{say("autoplay")}</span>
    </label>
  );
}

/** Changes the language here and at the server, which puts the games into words. */
function speak(language: Language): void {
  const then = () => change({ language });
  changeMe({ language }).then(then, then);
}

export function SettingsDialog({ close }: { close: () => void }) {
  return (
    <Dialog title={say("settings")} close={close} name="settings">
      <div class="settings">
        <Choose name="language" options={[["en", "English"], ["de", "Deutsch"]]} />
        <Choose
          name="theme"
          options={[
            ["system", say("theme-system")],
            ["light", say("theme-light")],
            ["dark", say("theme-dark")],
          ]}
        />
        <Choose
          name="deck"
          options={[
            ["normal", say("deck-normal")],
            ["four-colour", say("deck-four-colour")],
            ["high-contrast", say("deck-high-contrast")],
          ]}
        />
        <Choose
          name="motion"
          options={[
            ["system", say("motion-system")],
            ["full", say("motion-full")],
            ["reduced", say("motion-reduced")],
          ]}
        />
        <Beat />
        <Autoplay />
      </div>
    </Dialog>
  );
}

type KeyLine = [string, string];

export function KeysDialog({ close }: { close: () => void }) {
  const atTable: KeyLine[] = [
    ["1 – 9, 0", say("key-choose")],
    ["← → ↑ ↓", say("key-arrows")],
    ["Enter", say("key-enter")],
    ["Space", say("key-space")],
    ["h", say("key-hint")],
    ["l", say("key-last")],
    ["r", say("key-review")],
    ["Esc", say("key-escape")],
    ["?", say("key-help")],
  ];
  const inReview: KeyLine[] = [
    ["← →", say("key-steps")],
    ["Home, End", say("key-ends")],
    ["n, p", say("key-mistakes")],
  ];
  return (
    <Dialog title={say("keys")} close={close} name="keys">
      <KeyList title={say("keys-table")} lines={atTable} />
      <KeyList title="Tichu" lines={tichuKeys()} />
      <KeyList title={say("keys-look")} lines={inReview} />
    </Dialog>
  );
}

function KeyList({ title, lines }: { title: string; lines: KeyLine[] }) {
  return (
    <>
      <h3>{title}</h3>
      <dl class="keys">
        {lines.map(([key, words]) => (
          <div>
            <dt><kbd>{key}</kbd></dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export function Question(props: { title: string; yes: string; close: () => void; then: () => void }) {
  return (
    <Dialog title={props.title} close={props.close} name="question">
      <div class="dialog-buttons">
        <button class="button" onClick={props.close}>{say("cancel")}</button>
        <button class="button primary" onClick={props.then}>{props.yes}</button>
      </div>
    </Dialog>
  );
}
