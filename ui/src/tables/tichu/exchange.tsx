// Three slots for the three cards that one gives away.
import { TichuCard } from "../../cards/tichu";
import { cardWords, say } from "../../words/tichu";
import { Box } from "./choosers";
import { askedSlot, firstFree } from "./gifts";
import { nameAt, seatAt, type Sight } from "./places";
import { isLive, type Giving } from "./turn";

const PLACES = [
  { side: "left", slot: 2, words: "give-left" },
  { side: "top", slot: 1, words: "give-partner" },
  { side: "right", slot: 0, words: "give-right" },
] as const;

export function Exchange({ sight, giving }: { sight: Sight; giving: Giving }) {
  const { gifts, slot, isSent, isReady } = giving;
  const { given } = sight.picture;
  const isGiven = given.every((card) => card !== null);
  const { snapshot } = sight;
  const only = isLive(snapshot) ? null : askedSlot(snapshot.choices, snapshot.table.you);
  const aim = only ?? slot ?? firstFree(gifts);
  return (
    <Box title={isGiven ? say("gave-wait") : say("exchange")} name="exchange">
      <div class="ti-slots">
        {PLACES.map((place) => {
          const card = gifts[place.slot] ?? null;
          const name = nameAt(sight, seatAt(sight, place.side));
          const facts = { place: say(place.words), name };
          return (
            <button
              type="button"
              class={`ti-slot ${card ? "is-full" : ""} ${aim === place.slot && !isReady ? "is-aim" : ""}`}
              data-testid={`slot-${place.side}`}
              disabled={isSent || given[place.slot] !== null}
              onClick={() => giving.pressSlot(place.slot)}
            >
              <span class="hidden-label">
                {card ? say("slot-full", { ...facts, card: cardWords(card) }) : say("slot-empty", facts)}
              </span>
              <span class="ti-slot-card">{card && <TichuCard card={card} />}</span>
              <span class="ti-slot-place" aria-hidden="true">{say(place.words)}</span>
              <b aria-hidden="true">{name}</b>
            </button>
          );
        })}
      </div>
      {!isGiven && (
        <button class="button primary" disabled={!isReady || isSent} data-testid="give" onClick={giving.confirm}>{say(only === null ? "give" : "give-one")}</button>
      )}
    </Box>
  );
}
