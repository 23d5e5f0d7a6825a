// The name of a guest.
import { useEffect, useState } from "preact/hooks";
import { changeMe, me } from "./api";
import { useAnswer } from "./answer";
import { say } from "./words/shell";

/** What others call you; it is kept when one leaves the field. */
export function NameField() {
  const { answer } = useAnswer(me, []);
  const [name, setName] = useState("");
  useEffect(() => setName(answer?.name ?? ""), [answer?.name]);
  return (
    <label class="field name-field">
      <span>{say("your-name")}</span>
      <input
        class="input"
        maxLength={24}
        autoComplete="nickname"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        onChange={() => void changeMe({ name }).then((kept) => setName(kept.name), () => setName(answer?.name ?? ""))}
      />
    </label>
  );
}
