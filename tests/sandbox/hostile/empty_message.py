# verdict: EXIT
import socket


def play(hand):
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=3)
    channel.send(b'')
    while True:
        pass
