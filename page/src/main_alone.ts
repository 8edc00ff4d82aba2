// Entry point of a report without the lesson.

import { start } from "./main.ts";

start();
