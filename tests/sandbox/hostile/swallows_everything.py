# verdict: TLE
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except BaseException:
        pass


def play(hand):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
