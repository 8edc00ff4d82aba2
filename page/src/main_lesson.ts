// Entry point of a report with few enough cases to follow one by one, with the lesson on them.

import { start } from "./main.ts";
import { installLearn } from "./teach/open.ts";

start(installLearn);
