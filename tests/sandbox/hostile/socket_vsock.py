# verdict: BLOCKED
import socket


def play(hand):
    socket.socket(socket.AF_VSOCK, socket.SOCK_DGRAM)
    return hand[0]
