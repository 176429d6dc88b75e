# verdict: BLOCKED
import socket


def play(hand):
    socket.socketpair()
    return hand[0]
