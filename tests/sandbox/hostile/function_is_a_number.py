# verdict: MISSING
# message: it is of type int
play = 3
