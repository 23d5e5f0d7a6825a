// Pages that look back at games: review, practice, import, analysis of a position.
export { ImportPage } from "./import";
export { PositionPage } from "./position";
export { PracticePage } from "./practice";
export { ReviewPage } from "./page";
