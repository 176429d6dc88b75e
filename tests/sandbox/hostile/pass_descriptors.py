# verdict: survives
import os
import socket


def attack():
    channel = socket.socket(fileno=os.dup(3))
    for _ in range(10):
        channel.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, b"\0\0\0\0")])
    return "sent"
