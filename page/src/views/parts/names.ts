// Names as they stand in pictures and sentences; the rules are the core's.
export { shortName as brief, visible } from "../../core/names.ts";
