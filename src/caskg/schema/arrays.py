"""The arrays that records hold."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
VectorArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
CodeArray = NDArray[np.int8]
BoolArray = NDArray[np.bool_]
