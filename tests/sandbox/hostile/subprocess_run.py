# verdict: RTE
import subprocess


def play(hand):
    subprocess.run(['/py/bin/python3', '-c', '1'])
