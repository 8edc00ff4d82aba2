"""Do the intervals cover what they promise? Simulated where chance must be drawn, enumerated where it can be.

    python -m benchmarks.coverage [--quick] [--cells TEXT ...] [--samples N] [--keep-drawn]
    python -m benchmarks.coverage.drawn [--quick] [--only TEXT ...] [--settings N] [--samples N] [--go-on] [--page]

The full run writes docs/coverage.md and its pictures; every figure goes through the library's public doors. The second
command runs the settings drawn at random alone (`drawn/`), and writes their part of the page.

- `models.py`: score models whose true AUC is known
- `areas.py`: intervals of one AUC
- `pairs.py`: two models on the same cases, the size of DeLong's test and the interval of the difference
- `counts.py`: proportions, McNemar's test, F1 and MCC, all by enumeration
- `run.py`: the jobs on two processes, with a progress line; the command
- `results.py`: what was found, and the promises it is held against
- `page.py`, `pictures.py`: what is written
"""
