import PlainTable from "./plain";

export default PlainTable;
