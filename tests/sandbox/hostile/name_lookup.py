# verdict: BLOCKED
import socket


def play(hand):
    socket.gethostbyname('example.com')
    return hand[0]
