# verdict: exited 1 or blocked
import subprocess

print("LE" + "AK", subprocess.run(["/bin/sh", "-c", "echo hello"]))
