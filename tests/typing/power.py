"""How many cases a study needs."""

import rocscope as rs

found = rs.intervals.size_for_auc(0.8, against=0.7)
print(found)
