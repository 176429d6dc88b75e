# verdict: MLE
# message: 64 MiB
def play(hand):
    return bytearray(8 << 30)
