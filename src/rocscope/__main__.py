"""`python -m rocscope` is the command `rocscope`."""

import sys

from rocscope.cli import main

sys.exit(main())
