import { Frame } from "../frame";
import { say } from "../words/shell";

export function FairnessPage() {
  return (
    <Frame title={say("fairness")}>
      <h1>{say("fairness")}</h1>
    </Frame>
  );
}
