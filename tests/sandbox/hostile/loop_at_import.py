# verdict: TLE
# message: Loading your file took more than
while True:
    pass
