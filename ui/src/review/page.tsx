// Looking back at a game: the replay, what was expected, and where the points went.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer } from "../answer";
import { replay, review, table as tableInfo } from "../api";
import { useKeys } from "../keys";
import { nameOf } from "../seats";
import type { Replay, ReviewDecision, ReviewState, TableInfo } from "../wire";
import { look } from "../words/review";
import { say } from "../words/shell";
import { DecisionBox, useTrying, verdictText } from "./decision";
import { GraphBox } from "./graph";
import { Mistakes } from "./mistakes";
import { decisionAt, neighbour, stepBefore, worthSeeing } from "./model";
import { Bots, Luck, Tools } from "./notes";
import { Player } from "./player";
import "../style/review.css";

const POLL = 700;

export function ReviewPage({ id }: { id: string }) {
  const { answer, error } = useAnswer(() => tableInfo(id), [id]);
  const asked = new URLSearchParams(location.search).get("seat");
  const [seat, setSeat] = useState<number | null>(asked === null ? null : Number(asked));
  if (error) return <p class="error" role="alert">{say("went-wrong", { why: error })}</p>;
  if (!answer) return <p class="muted" role="status">{say("loading")}</p>;
  if (answer.status !== "over") return <NotOver id={id} />;
  const shown = seat !== null && answer.seats[seat] ? seat : Math.max(0, answer.you);
  return (
    <>
      <Head table={answer} seat={shown} setSeat={setSeat} />
      <Review key={shown} table={answer} seat={shown} />
    </>
  );
}

function NotOver({ id }: { id: string }) {
  return (
    <div class="review-empty">
      <h1>{say("review")}</h1>
      <p>{look("not-over")}</p>
      <a class="button primary" href={`/t/${id}`}>{look("go-to-table")}</a>
    </div>
  );
}

function Head(props: { table: TableInfo; seat: number; setSeat: (seat: number) => void }) {
  const { table, seat, setSeat } = props;
  return (
    <div class="review-head">
      <h1>{look("title", { game: table.title })}</h1>
      <label class="field review-seat">
        <span>{look("of-seat")}</span>
        <select class="input" value={seat} onChange={(event) => setSeat(Number(event.currentTarget.value))}>
          {table.seats.map((_, i) => (
            <option value={i} selected={i === seat}>
              {nameOf(table, i)}{i === table.you ? ` (${say("you")})` : ""}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The review of a seat, asked for again until it is done. */
function useReviewState(id: string, seat: number) {
  const [isDone, setDone] = useState(false);
  const found = useAnswer(() => review(id, seat), [id, seat, isDone], isDone ? 0 : POLL);
  const status = found.answer?.status;
  useEffect(() => setDone(status === "done" || status === "failed"), [status]);
  return found;
}

function Review({ table, seat }: { table: TableInfo; seat: number }) {
  const [isOpen, setOpen] = useState(false);
  const replayed = useAnswer(() => replay(table.id, seat, isOpen), [table.id, seat, isOpen]);
  const judged = useReviewState(table.id, seat);
  const error = replayed.error || judged.error;
  return (
    <>
      {error && <p class="error" role="alert">{say("went-wrong", { why: error })}</p>}
      {!replayed.answer && !error && <p class="muted" role="status">{say("loading")}</p>}
      {replayed.answer && (
        <Looking replay={replayed.answer} state={judged.answer ?? BEFORE} isOpen={isOpen} setOpen={setOpen} />
      )}
    </>
  );
}

const BEFORE: ReviewState = {
  status: "waiting", done: 0, total: 0, coach: "", kind: null, unit: "", rule: "",
  decisions: [], luck: null, bots: null, why: null,
};

interface LookingProps {
  replay: Replay;
  state: ReviewState;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
}

function Looking({ replay: { steps: all, table, seat }, state, isOpen, setOpen }: LookingProps) {
  const steps = useMemo(() => worthSeeing(all), [all]);
  const decisions = state.decisions.filter((one) => one.seat === seat);
  const { index, move, pick } = useStep(steps, decisions);
  const decision = decisionAt(steps, decisions, index);
  const trying = useTrying(table.id, decision?.move ?? null);
  const step = steps[index]!;
  const jump = (direction: 1 | -1) => {
    const found = neighbour(steps, decisions, index, direction);
    return found ? () => pick(found) : undefined;
  };
  const last = steps.length - 1;
  const ways = { ArrowLeft: () => move(index - 1), ArrowRight: () => move(index + 1), Home: () => move(0), End: () => move(last) };
  useKeys(trying.isOn ? { Escape: trying.stop } : { ...ways, n: jump(1), p: jump(-1) });
  return (
    <div class="review">
      <div class="review-main">
        <Player
          table={{ ...table, you: seat }} steps={steps} index={index} move={move} jump={jump} isOpen={isOpen} setOpen={setOpen}
          choose={trying.isOn ? trying.choose : undefined} told={verdictText(trying.verdict, step.choices)}
        />
        <GraphBox
          decisions={decisions} lastMove={steps[last]!.move} now={step.move} state={state} pick={pick}
          goTo={(wanted) => move(stepBefore(steps, wanted + 1))}
        />
        <div class="review-notes">
          <Luck luck={state.luck} />
          <Bots state={state} mine={state.luck?.result ?? null} isDealt={table.secrets} />
        </div>
      </div>
      <div class="review-side">
        {decision && (
          <DecisionBox
            table={table} decision={decision} choices={step.choices} trying={trying}
            kind={state.kind} unit={state.unit} isOpen={isOpen}
          />
        )}
        <Mistakes state={{ ...state, decisions }} current={decision?.move ?? null} pick={pick} />
        <Tools table={table} position={step.position} />
      </div>
    </div>
  );
}

/** Which step is shown: one's own choice, or the first mistake as soon as it is found. */
function useStep(steps: Replay["steps"], decisions: ReviewDecision[]) {
  const asked = Number(new URLSearchParams(location.search).get("move") ?? Number.NaN);
  const [index, setIndex] = useState(() => (Number.isNaN(asked) ? 0 : stepBefore(steps, asked)));
  const [isTouched, setTouched] = useState(!Number.isNaN(asked));
  const first = decisions.find((one) => one.size);
  useEffect(() => {
    if (!first || isTouched) return;
    setTouched(true); // what is found later does not pull anybody away
    setIndex(stepBefore(steps, first.move));
  }, [first?.move]);
  const move = (to: number) => {
    const within = Math.min(steps.length - 1, Math.max(0, to));
    setTouched(true);
    setIndex(within);
    const query = new URLSearchParams(location.search);
    query.set("move", String(steps[within]!.move + 1));
    history.replaceState(null, "", `?${query.toString()}`);
  };
  return { index: Math.min(index, steps.length - 1), move, pick: (one: ReviewDecision) => move(stepBefore(steps, one.move)) };
}
