# verdict: survives
def attack():
    folders = ["", "/", "/tmp/", "/dev/shm/", "/var/tmp/", "/py/lib/python3.11/", "/lib/", "/guest/sandbox/", "/root/", "/run/"]
    return each([lambda folder=folder: open(folder + "written", "w") for folder in folders])
