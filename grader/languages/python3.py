"""Python 3, as a program that reads and prints."""

from typing import Final

from grader.languages.language import Language
from sandbox.api import Verdict

_CHECK: Final = """\
import sys, traceback, warnings
wrong = False
def tell(message, category, filename, lineno, *more):
    print(f"{filename}:{lineno}:1: warning: {message}", file=sys.stderr)
warnings.showwarning = tell
warnings.simplefilter("always")
for name in sys.argv[1:]:
    try:
        compile(open(name, "rb").read(), name, "exec")
    except SyntaxError as error:
        wrong = True
        sys.stderr.write("".join(traceback.format_exception_only(error)))
    except (ValueError, RecursionError, MemoryError) as error:
        wrong = True
        print(f"{name}:1:1: error: {error}", file=sys.stderr)
sys.exit(wrong)
"""

PYTHON3 = Language(
    slug="python3",
    title="Python 3",
    tool="python3",
    sources=(".py",),
    code="python3",
    package_suffixes=(".py3",),
    check=("python3", "-P", "-c", _CHECK),  # the check must not import the program's own modules
    interpreter=("python3",),
    main="main.py",
    unbuilt=Verdict.SYNTAX,
    self_test={"word.py": "def word():\n    return input()\n", "main.py": "from word import word\nprint(word())\n"},
)
