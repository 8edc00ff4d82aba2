// The page of a lesson alone.

import { classroom } from "./classroom.ts";
import { openLesson } from "./open.ts";
import { practice } from "./practice.ts";

openLesson({ tools: classroom, practice });
