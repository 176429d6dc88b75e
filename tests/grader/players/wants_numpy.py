# rest: RTE
import numpy
