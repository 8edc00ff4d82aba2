// Names in plots and sentences; the rules are in core.
export { shortName as brief, visible } from "../../core/names.ts";
