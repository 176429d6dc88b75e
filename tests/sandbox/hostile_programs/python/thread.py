# verdict: exited 0
# printed: refused\n
import threading

try:
    threading.Thread(target=print, args=("LEAK",)).start()
except RuntimeError:
    print("refused")
