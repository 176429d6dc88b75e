# verdict: TLE
import re


def play(hand):
    return re.match('(a+)+$', 'a' * 40 + 'b')
