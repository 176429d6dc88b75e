# verdict: blocked
import os

os.execv("/py/bin/python3", ["python3", "-c", "print('LE' + 'AK')"])
