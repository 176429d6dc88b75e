# verdict: survives
import os


def attack():
    return os.memfd_create("balloon")
