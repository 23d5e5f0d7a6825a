// The table of a game, as it stood: to look at, or to choose on.
import { useSettings } from "../settings";
import { tableOf } from "../tables";
import type { Choice, Picture, TableInfo } from "../wire";
import { choiceFor, stillOf } from "./model";
import { look } from "../words/review";

interface BoardProps {
  table: TableInfo;
  picture: Picture;
  choices?: Choice[];
  prompt?: string;
  choose?: ((action: string) => void) | undefined; // without it, the table is only looked at
}

export function Board({ table, picture, choices = [], prompt = "", choose }: BoardProps) {
  const Table = tableOf(picture.game === "" ? "" : table.name);
  const settings = useSettings();
  const offered = choose ? choices : [];
  const tryAction = async (text: string) => {
    const found = choiceFor(choices, text);
    return { ok: Boolean(found), text: found?.text ?? "", why: found ? "" : look("no-choice") };
  };
  return (
    <Table
      key={`${table.id} ${choose ? "choose" : "look"}`}
      snapshot={stillOf(table, picture, offered, prompt)}
      play={(action) => choose?.(action)}
      tryAction={tryAction}
      settings={settings}
      readOnly={!choose}
    />
  );
}

/** The choices as a list, for who would rather read than click on cards. */
export function ChoiceList(props: { choices: Choice[]; choose: (action: string) => void; isOpen?: boolean }) {
  return (
    <details class="choice-list" open={props.isOpen}>
      <summary>{look("choices")} ({props.choices.length})</summary>
      <ul>
        {props.choices.map((choice) => (
          <li>
            <button class="button small" data-choice={choice.text} onClick={() => props.choose(choice.text)}>
              {choice.words}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
