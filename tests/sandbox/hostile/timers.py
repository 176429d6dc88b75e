# verdict: survives
# No pondering while others think.
import signal


def attack():
    attempts = [lambda which=which: signal.setitimer(which, 0.01, 0.01) for which in range(3)]
    return each(attempts)
