"""Coverage over settings drawn at random: what is said after a choice, of several models, with clusters and weights.

Every quantity has settings of its own, drawn once with a seed from the ranges it is promised for, and so many samples
of each. What was found is kept in `found/`, one file a quantity, from which the page is written.

- `quantity.py`: a quantity, its settings, and what is counted
- `scores.py`: normal scores of several models with known rates
- `choices.py`: thresholds and models chosen on the same cases; `designs.py`: clusters and weights
- `models.py`: equal models, pairs of models, tests
- `measures.py`: measures of few positives, macro averages, average precision, areas, calibration
- `classes.py`: decisions and calibration of several classes, one half of the cases against the other
- `priced.py`: costs of single cases, referral, the costs at which two models cost the same
- `studies.py`: validation, readers, partly verified cases, few labels
- `small.py`: 100,000 small tables, looked through for intervals of width 0 or outside their range
- `run.py`, `page.py`: the command and what is written
"""
