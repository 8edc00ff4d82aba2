// Entry point of the standalone lesson page.

import { classroom } from "./classroom.ts";
import { lists } from "./lists.ts";
import { openLesson } from "./open.ts";
import { practice } from "./practice.ts";

openLesson({ tools: classroom, under: (stage, lesson) => [...lists(stage, lesson), ...practice(stage, lesson)] });
