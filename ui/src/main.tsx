// The page: which address shows what.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { HomePage } from "./pages/home";
import { TablePage } from "./pages/table";
import { DailyPage } from "./pages/daily";
import { FairnessPage } from "./pages/fairness";
import { ResultsPage } from "./pages/results";
import { WatchPage } from "./pages/watch";
import { Frame } from "./frame";
import { ImportPage, PositionPage, PracticePage, ReviewPage } from "./review";
import { changeMe, me } from "./api";
import { usePath } from "./router";
import { settings, show, useSettings } from "./settings";
import { say } from "./words/shell";
import "./style/base.css";

function Page() {
  const path = usePath();
  const [, area = "", id = "", sub = ""] = path.split("/");
  if (area === "t" && id && !sub) return <TablePage key={id} id={id} />;
  if (area === "t" && id && sub === "review")
    return <Frame title={say("review")}><ReviewPage key={id} id={id} /></Frame>;
  switch (area) {
    case "":
      return <HomePage />;
    case "daily":
      return <DailyPage />;
    case "watch":
      return <WatchPage />;
    case "results":
      return <ResultsPage />;
    case "fairness":
      return <FairnessPage />;
    case "practice":
      return <Frame title={say("practice")}><PracticePage /></Frame>;
    case "import":
      return <Frame title={say("import")}><ImportPage /></Frame>;
    case "position":
      return <Frame title={say("analysis")}><PositionPage /></Frame>;
    default:
      return <Frame title="kibitz"><h1>{say("not-found")}</h1><p><a href="/">{say("home")}</a></p></Frame>;
  }
}

/** Tells the server the language of this browser; returns whether it spoke another one. */
async function agreeOnLanguage(): Promise<boolean> {
  const { language } = settings();
  try {
    if ((await me()).language === language) return false;
    await changeMe({ language });
    return true;
  } catch {
    return false; // the pages say what is wrong
  }
}

function App() {
  const { language } = useSettings(); // drawn anew in another language
  const [hasAgreed, setAgreed] = useState(false);
  useEffect(() => void agreeOnLanguage().then(setAgreed), []);
  return <Page key={`${language} ${hasAgreed}`} />;
}

show(settings());
render(<App />, document.getElementById("page")!);
