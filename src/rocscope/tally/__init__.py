"""Conversion of arrays to sorted distinct scores and their sums, from which every table is built.

`numeric`, `binary`, `factorize` and `weights_of` check columns and refuse invalid input; `group`, `auc_counts` and
`cross` count; `twice_u` and `merge` use these counts.
"""

from rocscope.tally.codes import Dictionary, check_label_types, in_order, no_label_type
from rocscope.tally.columns import (
    INFINITE,
    all_finite,
    check_magnitude,
    column,
    flat,
    has_fractions,
    is_frame_column,
    is_missing,
    is_tensor,
    null_flags,
    numeric,
    refuse_extreme,
    single_column,
    squared,
    tensor_array,
    weights_of,
)
from rocscope.tally.crosstab import cross
from rocscope.tally.distinct_scores import auc_counts, group, group_parts
from rocscope.tally.exact_sums import Groups, distinct, exact_dot, merge, roomy, segment_sums, total, twice_u
from rocscope.tally.labels import (
    PAIRS,
    as_in,
    binary,
    factorize,
    factorize_two,
    near_duplicates,
    plain_positive,
    spelled_alike,
)
from rocscope.tally.packed_keys import blocks, order, ordered, sort
from rocscope.tally.threads import cores, mapped

__all__ = [
    "column", "cores", "numeric", "check_magnitude", "has_fractions", "as_in", "binary", "spelled_alike", "factorize",
    "factorize_two", "in_order", "near_duplicates", "PAIRS", "Dictionary", "plain_positive", "weights_of",
    "refuse_extreme", "squared", "group", "group_parts", "auc_counts", "cross", "Groups", "twice_u", "total",
    "exact_dot", "merge", "roomy", "segment_sums", "all_finite", "flat", "is_frame_column", "is_missing", "is_tensor",
    "null_flags", "single_column", "tensor_array", "mapped", "blocks", "order", "ordered", "sort", "distinct",
    "INFINITE", "check_label_types", "no_label_type",
]  # fmt: skip
