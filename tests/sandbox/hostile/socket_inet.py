# verdict: BLOCKED
# message: on line 7 (socket.socket
import socket


def play(hand):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return hand[0]
