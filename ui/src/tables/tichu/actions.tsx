// Below the table: what the raised cards are, and the buttons.
import { cardWords, rankLabel, say } from "../../words/tichu";
import type { Begun } from "./own";
import type { Offer } from "./offer";
import type { Match } from "./selection";
import type { Selection } from "./turn";

interface ActionsProps {
  offer: Offer;
  selection: Selection;
  begun: Begun;
  lasts: number; // ms that the moment for bombs lasts, 0 if there is none
  bomb: (() => void) | null; // null for who holds none
  isPlaying: boolean;
}

export function Actions(props: ActionsProps) {
  const { offer, begun, bomb, isPlaying } = props;
  const { call } = offer;
  return (
    <div class="ti-actions">
      <p class="ti-why" role="status" data-testid="reason">{isPlaying ? reasonOf(props) : " "}</p>
      <div class="ti-buttons">
        {call && !begun.isCalling && (
          <button class="button ti-tichu" data-choice={call.text} onClick={() => begun.ask(true)}>{say("call-tichu")}</button>
        )}
        {isPlaying && bomb && (
          <button class="button ti-bomb" data-testid="bomb" title={say("bomb-help")} aria-pressed={begun.isArmed} onClick={bomb}>
            {begun.isArmed ? say("bomb-armed") : say("bomb")}
          </button>
        )}
        {isPlaying && <PassButton {...props} />}
        {isPlaying && <PlayButtons found={props.selection.found} play={begun.play} />}
      </div>
    </div>
  );
}

function PassButton({ offer, begun, lasts }: ActionsProps) {
  const { pass } = offer;
  return (
    <button
      class={`button ti-passing ${lasts ? "is-timed" : ""}`}
      style={{ "--lasts": `${lasts}ms` }}
      data-choice="pass"
      disabled={!pass}
      onClick={() => pass && begun.play(pass.text)}
    >
      {offer.isWindow ? say("no-bomb") : say("pass")}
    </button>
  );
}

/** One button, or one for each rank that the Phoenix can stand for. */
function PlayButtons({ found, play }: { found: Match[]; play: (text: string) => void }) {
  const shown = found.length ? found : [null];
  return (
    <>
      {shown.map((match) => (
        <button
          class="button primary ti-play"
          data-testid="play"
          data-choice={match?.text}
          disabled={!match}
          title={match?.words}
          onClick={() => match && play(match.text)}
        >
          {shown.length > 1 ? say("phoenix-as", { rank: rankLabel(match?.phoenix ?? "") }) : say("play")}
        </button>
      ))}
    </>
  );
}

function reasonOf({ selection, begun, offer }: ActionsProps): string {
  if (!offer.isOn || selection.isChecking) return " ";
  if (!offer.mayRaise) return say("only-pass");
  if (!begun.raised.length) return say(offer.isWindow ? "raise-bomb" : "raise-cards");
  const [only] = begun.raised;
  if (selection.found.length)
    return begun.raised.length === 1 && only !== "Ph" ? cardWords(only!) : selection.found[0]!.words;
  return selection.why || say("not-legal");
}
