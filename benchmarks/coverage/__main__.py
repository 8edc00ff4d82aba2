"""make coverage."""

from benchmarks.coverage.run import main

main()
