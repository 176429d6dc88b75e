# verdict: RTE
# message: or start programs, processes or threads
import threading


def play(hand):
    threading.Thread(target=print).start()
