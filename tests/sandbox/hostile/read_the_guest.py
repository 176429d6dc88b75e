# verdict: survives
def attack():
    paths = ["/guest/sandbox/guest.py", "/guest/sandbox/player.py", "/py/bin/python3"]
    return each([lambda path=path: open(path, "rb").read() for path in paths])
