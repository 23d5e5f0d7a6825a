// The start: four games, one click each; then what one has played, and tables to join.
import { useState } from "preact/hooks";
import { games, lobby, makeTable, mine, playDaily } from "../api";
import { Emblem } from "../cards/emblems";
import { Frame } from "../frame";
import { NameField } from "../name";
import { useAnswer } from "../answer";
import { scoreText } from "../opinions";
import { go } from "../router";
import { inOrder, newTable, RULES, valueOf, type Chosen, type Rule } from "../rules";
import type { GameInfo, Level, TableInfo } from "../wire";
import { day, moment, number, unitName } from "../words";
import { tell } from "../words/home";
import { say } from "../words/shell";
import "../style/home.css";

export function HomePage() {
  const { answer, error } = useAnswer(games, []);
  return (
    <Frame title="kibitz">
      <div class="home-head">
        <h1>{say("tagline")}</h1>
        <NameField />
      </div>
      {error && <p class="error" role="alert">{say("went-wrong", { why: error })}</p>}
      <div class="home-games">
        {inOrder(answer ?? []).map((game) => <GameCard key={game.name} game={game} />)}
        {!answer && !error && [1, 2, 3, 4].map((i) => <div class="home-game panel is-empty" key={i} />)}
      </div>
      <div class="home-lists">
        <Mine />
        <Lobby />
      </div>
    </Frame>
  );
}

function remembered(game: string): Chosen {
  try {
    return JSON.parse(localStorage.getItem(`kibitz.rules.${game}`) ?? "{}") as Chosen;
  } catch {
    return {};
  }
}

function remember(game: string, chosen: Chosen): void {
  try {
    localStorage.setItem(`kibitz.rules.${game}`, JSON.stringify(chosen));
  } catch {
    // It is asked again next time.
  }
}

/** Makes a table and goes there, or says why not. */
function useBegin() {
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const begin = async (make: () => Promise<TableInfo>) => {
    setBusy(true);
    try {
      go(`/t/${(await make()).id}`);
    } catch (refusal) {
      setError(say("went-wrong", { why: (refusal as Error).message }));
      setBusy(false);
    }
  };
  return { begin, isBusy, error };
}

function GameCard({ game }: { game: GameInfo }) {
  const [chosen, setChosen] = useState<Chosen>(() => remembered(game.name));
  const { begin, isBusy, error } = useBegin();
  const level = game.levels.find((one) => one.name === chosen.level) ?? usualLevel(game);
  const choose = (part: Chosen) => {
    const all = { ...chosen, ...part };
    setChosen(all);
    remember(game.name, all);
  };
  const make = (how: "play" | "friends" | "watch") => () =>
    void begin(() => makeTable(newTable(game, chosen, level?.name ?? "", how)));
  return (
    <section class="home-game panel" aria-label={game.title} data-testid={`game-${game.name}`}>
      <Emblem game={game.name} />
      <h2>{game.title}</h2>
      <p class="muted home-summary">{game.name in RULES ? tell(game.name as "nimmt") : game.summary}</p>
      <Levels game={game} level={level} choose={(name) => choose({ level: name })} />
      <Rules game={game.name} chosen={chosen} choose={choose} />
      {error && <p class="error" role="alert">{error}</p>}
      <button class="button primary home-play" data-testid={`play-${game.name}`} disabled={isBusy} onClick={make("play")}>
        {say("play")}
      </button>
      <div class="home-ways">
        <button class="button small" data-testid={`friends-${game.name}`} disabled={isBusy} onClick={make("friends")}>{say("friends")}</button>
        <button class="button small" data-testid={`watch-${game.name}`} disabled={isBusy} onClick={make("watch")}>{say("watch")}</button>
        <button class="button small" data-testid={`daily-${game.name}`} disabled={isBusy} title={say("daily-about")} onClick={() => void begin(() => playDaily(game.name))}>
          {say("daily")}
        </button>
      </div>
    </section>
  );
}

function usualLevel(game: GameInfo): Level | undefined {
  return game.levels.find((level) => level.name === "club") ?? game.levels[0];
}

function Levels(props: { game: GameInfo; level: Level | undefined; choose: (name: string) => void }) {
  const { game, level, choose } = props;
  return (
    <fieldset class="choose">
      <legend>{say("opponents")}</legend>
      <div class="choose-options">
        {game.levels.map((one) => (
          <label>
            <input type="radio" name={`level-${game.name}`} checked={one === level} onChange={() => choose(one.name)} />
            <span>{one.title}</span>
          </label>
        ))}
      </div>
      {level && <Rating level={level} />}
    </fieldset>
  );
}

function Rating({ level: { rating } }: { level: Level }) {
  if (!rating) return <p class="muted home-rating">{say("no-rating")}</p>;
  const error = (rating.high - rating.low) / 2;
  const about = say("rating-about", { against: rating.against, n: number(rating.n) });
  return (
    <p class="muted home-rating" title={about}>
      {say("rating", { value: number(rating.value), error: number(error) })}
      <span class="hidden-label"> ({about})</span>
    </p>
  );
}

function Rules(props: { game: string; chosen: Chosen; choose: (part: Chosen) => void }) {
  const rules = RULES[props.game] ?? [];
  const main = rules.filter((rule) => rule.isMain);
  const more = rules.filter((rule) => !rule.isMain);
  const draw = (rule: Rule) => <RuleField key={rule.option} rule={rule} {...props} />;
  return (
    <>
      <div class="home-rules">{main.map(draw)}</div>
      {more.length > 0 && (
        <details class="home-more">
          <summary>{say("more-options")}</summary>
          <div class="home-rules">{more.map(draw)}</div>
        </details>
      )}
    </>
  );
}

function RuleField(props: { rule: Rule; chosen: Chosen; choose: (part: Chosen) => void }) {
  const { rule, chosen, choose } = props;
  const value = valueOf(rule, chosen);
  // Numbers read better in their order than with the usual one first.
  const values = rule.values.every(([, word]) => word === "")
    ? rule.values.toSorted((a, b) => Number(a[0]) - Number(b[0]))
    : rule.values;
  return (
    <label class="field">
      <span>{tell(rule.label)}</span>
      <select class="input" value={value} onChange={(event) => choose({ [rule.option]: event.currentTarget.value })}>
        {values.map(([one, word]) => (
          <option value={one} selected={one === value}>{word === "" ? one : tell(word)}</option>
        ))}
      </select>
    </label>
  );
}

function Mine() {
  const { answer } = useAnswer(mine, []);
  return (
    <section class="panel" aria-label={say("my-games")}>
      <h2>{say("my-games")}</h2>
      {!answer?.length && <p class="muted">{say("no-games")}</p>}
      <ul class="home-tables" data-testid="my-games">
        {answer?.slice(0, 12).map((table) => (
          <TableLine key={table.id} table={table}>
            {table.status === "over" ? (
              <a class="button small" href={`/t/${table.id}/review`}>{say("review")}</a>
            ) : (
              <a class="button small primary" href={`/t/${table.id}`}>{say("resume")}</a>
            )}
          </TableLine>
        ))}
      </ul>
    </section>
  );
}

function Lobby() {
  const { answer } = useAnswer(lobby, [], 5000);
  return (
    <section class="panel" aria-label={say("lobby")}>
      <h2>{say("lobby")}</h2>
      {!answer?.length && <p class="muted">{say("no-tables")}</p>}
      <ul class="home-tables" data-testid="lobby">
        {answer?.slice(0, 12).map((table) => (
          <TableLine key={table.id} table={table}>
            <a class="button small" href={`/t/${table.id}`}>
              {table.status === "open" ? say("join") : say("watch-table")}
            </a>
          </TableLine>
        ))}
      </ul>
      <p class="home-more-link"><a href="/watch">{say("all-tables")}</a></p>
    </section>
  );
}

function TableLine(props: {
  table: TableInfo & { ended?: string | null; scores?: number[] | null };
  children: preact.ComponentChildren;
}) {
  const { table } = props;
  const score = table.scores?.[table.you];
  const names = table.seats.map((seat) => seat.name || say("free-seat")).join(", ");
  return (
    <li>
      <div class="home-table">
        <b>{table.title}</b>
        <span class="badge">{score === undefined ? say(`status-${table.status}`) : `${scoreText(score)} ${unitName(table.unit)}`}</span>
        {table.daily && <span class="badge">{say("daily-of", { date: day(table.daily) })}</span>}
        {table.ended && <span class="muted home-ended">{moment(table.ended)}</span>}
        <small class="muted">{names}</small>
      </div>
      {props.children}
    </li>
  );
}
