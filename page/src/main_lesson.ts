// The page of a report whose cases are few enough to be followed one by one, with the lesson on them.

import { start } from "./main.ts";
import { installLearn } from "./teach/open.ts";

start(installLearn);
