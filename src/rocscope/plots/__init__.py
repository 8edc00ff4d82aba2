"""Static figures with matplotlib (extra `plot`): curves, matrices, hulls, cost strips, folds, ranks and estimates.

>>> from rocscope import evaluate
>>> ax = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).roc().plot()
>>> ax.get_ylabel()
'true positive rate (recall) →'

Every function returns the Axes, draws in yours if you give one, and never touches pyplot or rcParams; matplotlib is
loaded when a figure is drawn.

- `theme.py`: colors, frames, marks, plain names, files; `free_space.py`: free space in a figure
- `spaces.py`: the axes of each curve; `kinds.py`: the available figures
- `curves.py`: a curve with its band; `models.py`: one evaluation, or several in one figure
- `confusion_matrix.py`, `hulls.py` (with the strip), `forest.py`, `folds.py`, `critical_difference.py`
"""

from rocscope.plots.confusion_matrix import counts, matrix
from rocscope.plots.critical_difference import ranks
from rocscope.plots.curves import band_outline, curve
from rocscope.plots.fold_pairs import pairs
from rocscope.plots.folds import validation
from rocscope.plots.forest import ForestRow, estimates
from rocscope.plots.hulls import hull, strip
from rocscope.plots.models import class_comparison, classes, comparison, evaluation, labels
from rocscope.plots.theme import check_ending, picture, save

__all__ = [
    "ForestRow", "band_outline", "check_ending", "class_comparison", "classes", "comparison", "counts", "curve",
    "estimates", "evaluation", "hull", "labels", "matrix", "pairs", "picture", "ranks", "save", "strip", "validation",
]  # fmt: skip
