import PlainTable from "./plain";
import { plainFrames } from "./props";

export const nimmtFrames = plainFrames;

export default PlainTable;
