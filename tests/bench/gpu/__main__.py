"""`python3 build.py bench gpu` starts here."""

import sys

from tests.bench.gpu.run import main

sys.exit(main(sys.argv[1:]))
