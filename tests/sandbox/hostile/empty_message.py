# verdict: EXIT
import socket


def play(hand):
    channel = socket.socket(fileno=3)
    channel.send(b'')
    while True:
        pass
