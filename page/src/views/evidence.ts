// The views of the second half of the page: strip, curves, differences, slices.

import type { View } from "../core/app.ts";
import { calibrationView } from "./calibration.ts";
import { decisionView } from "./decision.ts";
import { differencesView } from "./differences.ts";
import { moreView } from "./more.ts";
import { prView } from "./pr.ts";
import { slicesView } from "./slices.ts";
import { stripView } from "./strip.ts";
import { thresholdsView } from "./thresholds.ts";
import { topView } from "./topk.ts";

export const evidence: View[] = [
  stripView(), thresholdsView(), topView(), prView(), calibrationView(), decisionView(), differencesView(), slicesView(), moreView(),
];
