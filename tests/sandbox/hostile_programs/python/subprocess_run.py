# verdict: exited 1 or blocked
import subprocess

print("LEAK", subprocess.run(["/bin/sh", "-c", "echo LEAK"]))
