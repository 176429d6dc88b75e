# rest: RTE
import sys

sys.exit()
