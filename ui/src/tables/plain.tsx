// A game without a table of its own: the drawing of the terminal, and a button for each action.
import type { TableProps } from "./props";
import "../style/plain.css";

export default function PlainTable({ snapshot, play, readOnly }: TableProps) {
  const { picture, choices } = snapshot;
  return (
    <div class="plain">
      <pre tabIndex={0}>{"drawing" in picture ? picture.drawing : JSON.stringify(picture, null, 1)}</pre>
      {!readOnly && (
        <div class="plain-choices">
          {choices.map((choice) => (
            <button class="button" data-choice={choice.text} onClick={() => play(choice.text)}>
              {choice.words}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
