# verdict: BLOCKED
import socket


def play(hand):
    socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    return hand[0]
