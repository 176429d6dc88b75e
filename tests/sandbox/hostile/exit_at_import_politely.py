# verdict: RTE
# message: ended itself (SystemExit
import sys

sys.exit(0)
