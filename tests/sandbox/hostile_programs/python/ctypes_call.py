# verdict: blocked
# only: x86_64
import ctypes

ctypes.CDLL(None).syscall(101, 0, 0, 0, 0)
print("LEAK")
