"""Four counts and their measures."""

import rocscope as rs

counts = rs.Counts(tp=7, fp=7, fn=3, tn=13)
estimate = counts.estimate("precision", level=0.9)
print(counts.precision, counts.exact("f1"), estimate.low, counts.explain("precision"))
