# verdict: survives
import sys


def attack():
    sys._getframe(1)
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("sandbox"):
            return module
    return None
