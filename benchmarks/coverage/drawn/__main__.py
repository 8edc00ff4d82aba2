"""Coverage over drawn settings alone."""

from benchmarks.coverage.drawn.run import main

if __name__ == "__main__":
    main()
