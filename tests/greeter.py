"""A small assignment that asks for a program, as the files of its folder: it greets whoever is named in its input."""

SOLUTION = """\
#include "Greeter.h"
#include <iostream>

int main() {
    std::string name;
    while (std::getline(std::cin, name)) std::cout << greeting(name) << "\\n";
}

std::string greeting(const std::string& name) {
    return "Hello, " + name + "!";
}
"""
STARTER = """\
#include "Greeter.h"

int main() {
    // TODO: greet everybody
}

std::string greeting(const std::string&) {
    return "";
}
"""
HEADER = "#pragma once\n#include <string>\nstd::string greeting(const std::string& name);\n"
FOLDER = {
    "assignment.toml": b"""title = "Greeter"

[[questions]]
slug = "greet"
title = "A greeting"
language = "cpp17"
options = ["-Wall"]
editable = ["*.cpp"]
warnings = "fail"
points = 4
gate = "none"
comparator = "exact"
""",
    "questions/greet/text.md": b"Greet everybody.\n",
    "questions/greet/files/Greeter.h": HEADER.encode(),
    "questions/greet/files/Greeter.cpp": STARTER.encode(),
    "questions/greet/solution/Greeter.cpp": SOLUTION.encode(),
    "questions/greet/cases/visible/01-one-name.in": b"Ada\n",
    "questions/greet/cases/visible/01-one-name.out": b"Hello, Ada!\n",
    "questions/greet/cases/hidden/02-two-names.in": b"Ada\nBen\n",
    "questions/greet/cases/hidden/02-two-names.out": b"Hello, Ada!\nHello, Ben!\n",
    "questions/greet/cases/hidden/03-nobody.out": b"",
    "questions/greet/submissions/WA/no_comma/Greeter.cpp": SOLUTION.replace('"Hello, "', '"Hello "').encode(),
    "questions/greet/submissions/CE/typing_error/Greeter.cpp": SOLUTION.replace("return", "retrun").encode(),
}
PYTHON = {
    "assignment.toml": b"""title = "Greeter"

[[questions]]
slug = "greet"
title = "A greeting"
language = "python3"
editable = ["*.py"]
points = 4
gate = "none"
""",
    "questions/greet/files/main.py": b"# TODO: greet everybody\n",
    "questions/greet/solution/main.py": b'import sys\nfor name in sys.stdin:\n    print(f"Hello, {name.strip()}!")\n',
    "questions/greet/submissions/WA/no_comma/main.py": (
        b'import sys\nfor name in sys.stdin:\n    print(f"Hello {name.strip()}!")\n'
    ),
    **{path: content for path, content in FOLDER.items() if "/cases/" in path},
}
"""The same in Python, which every worker has."""
