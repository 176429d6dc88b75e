# verdict: RTE
# message: can't start new thread
import threading


def play(hand):
    threading.Thread(target=print).start()
