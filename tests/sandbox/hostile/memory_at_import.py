# verdict: MLE
cards = [0] * 10**10
