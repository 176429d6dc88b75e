# verdict: exited 0
# printed: nothing\n
import os

leaks = []
for name in (
    "/etc/passwd",
    "/etc/shadow",
    "/tmp/quadrille-hostile/secret",
    "/dev/shm/quadrille-hostile",
    "/proc/1/environ",
):
    try:
        leaks.append(open(name).read(10))
    except OSError:
        pass
leaks += [name for name in os.environ if "QUADRILLE" in name]
print(f"LEAK {leaks}" if leaks else "nothing")
