// A deck of one's own mistakes: choose again, until it is right.
import { useState } from "preact/hooks";
import { useAnswer } from "../answer";
import { answerCard, practice } from "../api";
import type { PracticeCard } from "../wire";
import { look } from "../words/review";
import { say } from "../words/shell";
import { Board, ChoiceList } from "./board";
import { Answer, VerdictLine, type Trying } from "./decision";
import { SizeBadge } from "./mistakes";
import "../style/review.css";

export function PracticePage() {
  const { answer, error, again } = useAnswer(practice, []);
  const [at, setAt] = useState(0);
  const card = answer?.[at];
  const next = () => {
    if (answer && at + 1 < answer.length) return setAt(at + 1);
    setAt(0);
    again();
  };
  return (
    <>
      <h1>{say("practice")}</h1>
      <p class="muted">{look("practice-about")}</p>
      {error && <p class="error" role="alert">{say("went-wrong", { why: error })}</p>}
      {!answer && !error && <p class="muted" role="status">{say("loading")}</p>}
      {answer && !card && (
        <div class="panel review-empty">
          <p>{look("practice-none")}</p>
          <a class="button primary" href="/">{say("play")}</a>
        </div>
      )}
      {answer && card && <Card key={card.id} card={card} left={answer.length - at} next={next} />}
    </>
  );
}

function Card({ card, left, next }: { card: PracticeCard; left: number; next: () => void }) {
  const [verdict, setVerdict] = useState<Trying["verdict"]>(null);
  const [error, setError] = useState("");
  const [isShown, setShown] = useState(false);
  const isSolved = verdict?.told.size === "best" || verdict?.told.size === "good";
  const isChoosing = !isSolved && !isShown;
  const choose = (action: string) =>
    void answerCard(card.id, action).then(
      (told) => setVerdict({ action, told }),
      (refusal: Error) => setError(say("went-wrong", { why: refusal.message })),
    );
  return (
    <div class="review">
      <section class="review-player" aria-label={look("position-text")}>
        <p class={`room-prompt ${isChoosing ? "is-yours" : ""}`} role="status">{isSolved ? look("solved") : card.prompt}</p>
        <div class="review-felt room-felt" data-testid="table">
          <Board table={card.table} picture={card.picture} choices={card.choices} prompt={card.prompt} choose={isChoosing ? choose : undefined} />
        </div>
      </section>
      <div class="review-side">
        <section class="panel review-decision" aria-labelledby="card" data-testid="practice-card">
          <Origin card={card} />
          <VerdictLine verdict={verdict} choices={card.choices} />
          {error && <p class="error" role="alert">{error}</p>}
          {isChoosing && <ChoiceList choices={card.choices} choose={choose} isOpen={card.choices.length <= 8} />}
          <Ways card={card} isChoosing={isChoosing} isShown={isShown} show={setShown} next={next} />
          {isShown && <Answer table={card.table} move={card.move} choices={card.choices} isOpen={false} />}
          <p class="muted small" role="status">{look("practice-left", { n: left })}</p>
        </section>
      </div>
    </div>
  );
}

function Origin({ card }: { card: PracticeCard }) {
  return (
    <>
      <h2 id="card">{look("position-ask")}</h2>
      <p class="muted">
        <SizeBadge size={card.size} /> {look("practice-from", { game: card.table.title, move: card.move })}
      </p>
      {card.right > 0 && <p class="muted">{look("practice-right", { n: card.right })}</p>}
    </>
  );
}

interface WaysProps {
  card: PracticeCard;
  isChoosing: boolean;
  isShown: boolean;
  show: (isShown: boolean) => void;
  next: () => void;
}

function Ways({ card, isChoosing, isShown, show, next }: WaysProps) {
  return (
    <div class="review-buttons">
      <button class={`button ${isChoosing ? "" : "primary"}`} data-testid="next-card" onClick={next}>
        {look(isChoosing ? "skip" : "next-card")}
      </button>
      <button class="button" data-testid="answer" aria-expanded={isShown} onClick={() => show(!isShown)}>
        {look(isShown ? "hide-answer" : "show-answer")}
      </button>
      <a class="button quiet" href={`/t/${card.table.id}/review?seat=${card.seat}&move=${card.move}`}>{look("see-game")}</a>
    </div>
  );
}
