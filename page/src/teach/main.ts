// The page of a lesson alone.

import { openLesson } from "./open.ts";

openLesson();
