// The promise that a deal was fixed, and how it is checked.
import { Copy } from "./copy";
import { checkCommand } from "./fair";
import type { TableInfo } from "./wire";
import { look } from "./words/review";
import { say } from "./words/shell";
import "./style/check.css";

/** The fingerprint of the deal, and after the game what it was made of. */
export function Check({ table }: { table: TableInfo }) {
  const { commitment, seed, salt } = table.fairness;
  if (!commitment) return null;
  const command = checkCommand(table);
  return (
    <details class="check-deal">
      <summary>{look("check")}</summary>
      <p>{look(command ? "check-about" : "check-later")}</p>
      <dl>
        <dt>{look("fingerprint")}</dt>
        <dd><code>{commitment}</code></dd>
        {seed !== null && <><dt>{look("seed")}</dt><dd><code>{seed}</code></dd></>}
        {salt !== null && <><dt>{look("salt")}</dt><dd><code>{salt}</code></dd></>}
      </dl>
      {command && (
        <>
          <p>{look("command")}</p>
          <pre tabIndex={0}><code>{command}</code></pre>
          <Copy text={command} label={say("copy")} done={say("copied")} byHand={look("command")} kind="small" />
        </>
      )}
    </details>
  );
}
