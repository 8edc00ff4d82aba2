"""Cheapest model by cost ratios."""

import rocscope as rs

hull = rs.hull.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
print(hull.best(cost_ratio=0.25).model, hull.area, [point.fpr for point in hull.points])
