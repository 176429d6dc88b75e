# rest: TLE
while True:
    pass
