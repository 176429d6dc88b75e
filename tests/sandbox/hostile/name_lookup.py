# verdict: BLOCKED
# message: on line 7 (socket.gethostbyname
import socket


def play(hand):
    socket.gethostbyname('example.com')
    return hand[0]
