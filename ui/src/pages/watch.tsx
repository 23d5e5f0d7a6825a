import { Frame } from "../frame";
import { say } from "../words/shell";

export function WatchPage() {
  return (
    <Frame title={say("watch")}>
      <h1>{say("watch")}</h1>
    </Frame>
  );
}
