"""The interval of a proportion."""

import rocscope as rs

estimate = rs.estimate.proportion(40, 50, method="wilson", level=0.95)
print(estimate.low, estimate.high, f"{estimate:.1%}")
