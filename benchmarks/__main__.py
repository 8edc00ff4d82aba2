"""make bench: the foundation beside its peers, then the drop-in beside scikit-learn and others, quickly."""

import argparse

from benchmarks import foundation, peers
from benchmarks.harness import main

main("The foundation", foundation.tasks)
print()
peers.run(argparse.Namespace(quick=True, rounds=0, only="", plot="", write="", spark=False))
