# verdict: exited 0
# printed: refused\n
import os

try:
    os.fork()
    print("LEAK")
except OSError:
    print("refused")
