# verdict: survives


def attack():
    import os.path
    import getpass
    home = os.path.expanduser("~")
    return [home, getpass.getuser()] if home != "~" else getpass.getuser()
