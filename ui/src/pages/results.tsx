import { Frame } from "../frame";
import { say } from "../words/shell";

export function ResultsPage() {
  return (
    <Frame title={say("results")}>
      <h1>{say("results")}</h1>
    </Frame>
  );
}
