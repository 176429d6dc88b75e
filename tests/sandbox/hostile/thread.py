# verdict: RTE
# message: start no programs, processes or threads
import threading


def play(hand):
    threading.Thread(target=print).start()
