"""Beginners' mistakes: what is wrong in a file, the line that is told, and what is said of it in plain words.

`python -m tests.grader.programs.mistakes` compiles them again and writes what g++ prints into `logs`.
"""

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

LOGS = Path(__file__).parent / "logs"
MAIN = "int main() {}\n"


@dataclass(frozen=True)
class Mistake:
    """`text` is the file; with `linked` it is also linked. `line` and `plain` are those of the first diagnostic."""

    name: str
    text: str
    line: int
    plain: str
    linked: bool = False
    language: str = "c++"

    @property
    def file(self) -> str:
        return "main.cpp" if self.language == "c++" else "main.c"

    @property
    def log(self) -> str:
        return (LOGS / f"{self.name}.txt").read_text(encoding="utf-8")


def body(*lines: str, includes: str = "iostream") -> str:
    """A program with these lines in main, the first of them in line 3."""
    inside = "".join(f"    {line}\n" for line in lines)
    return f"#include <{includes}>\nint main() {{\n{inside}}}\n"


MISTAKES = [
    Mistake(
        "semicolon",
        body("int n = 5", "", "std::cout << n;"),
        5,
        "A semicolon is missing. Look at the end of line 3.",
    ),
    Mistake("semicolon_same_line", body("return 0"), 3, "A semicolon is missing. Look at the end of line 3."),
    Mistake(
        "semicolon_class", f"class Card {{ int n; }}\n{MAIN}", 1, "A semicolon is missing after the closing brace."
    ),
    Mistake("spelling", body("int count = 5;", "return cuont;"), 4, "cuont is not known here. Did you mean count?"),
    Mistake(
        "undeclared",
        body("return total;"),
        3,
        "total is not known here. Is it spelt differently, declared further down or in another block?",
    ),
    Mistake(
        "std",
        body("cout << 1;"),
        3,
        "cout belongs to the standard library: write std::cout, and #include <iostream> at the top.",
    ),
    Mistake(
        "std_type",
        body('string s = "a";'),
        3,
        "string belongs to the standard library: write std::string, and #include <string> at the top.",
    ),
    Mistake(
        "include",
        body("std::vector<int> v;"),
        3,
        "std::vector is declared in a header that is not included here. Add #include <vector> at the top.",
    ),
    Mistake(
        "include_algorithm",
        body("int a[2];", "std::sort(a, a + 2);"),
        4,
        "std::sort is declared in a header that is not included here. Add #include <algorithm> at the top.",
    ),
    Mistake(
        "no_such_header",
        f'#include "card.h"\n{MAIN}',
        1,
        "There is no file card.h. Check its name, including upper and lower case, and its folder.",
    ),
    Mistake("no_return", f"int f(int n) {{ n++; }}\n{MAIN}", 1, "This function can end without a return."),
    Mistake(
        "no_return_if", f"int f(int n) {{ if (n) return 1; }}\n{MAIN}", 1, "This function can end without a return."
    ),
    Mistake(
        "few_arguments",
        "int f(int a, int b) { return a + b; }\nint main() { return f(1); }\n",
        2,
        "int f(int, int) is called with too few arguments.",
    ),
    Mistake(
        "many_arguments",
        "int f(int a) { return a; }\nint main() { return f(1, 2); }\n",
        2,
        "int f(int) is called with too many arguments.",
    ),
    Mistake(
        "text_to_int", body('int n = "5";', "return n;"), 3, "This is a text, but a whole number (int) is needed here."
    ),
    Mistake(
        "int_to_string",
        body("std::string s = 5;", includes="string"),
        3,
        "This is a whole number (int), but a string is needed here.",
    ),
    Mistake(
        "string_to_int",
        body('std::string s = "5";', "int n = s;", includes="string"),
        4,
        "This is a string, but a whole number (int) is needed here.",
    ),
    Mistake(
        "brace",
        "int main() {\n    if (true) {\n        return 0;\n}\n",
        4,
        "A closing brace is missing before the end of the file: the one opened on line 1, or a later one, is never "
        "closed.",
    ),
    Mistake("brace_too_many", "int main() {\n}\n}\n", 3, "There is one closing brace too many, here or above."),
    Mistake(
        "nested_function",
        "int main() {\n    if (true) {\n}\nint f() {\n    return 1;\n}\n",
        4,
        "A function begins inside another function: a closing brace is missing above.",
    ),
    Mistake("parenthesis", body("int n = (1 + 2;", "return n;"), 3, "A closing parenthesis is missing before ;."),
    Mistake(
        "undefined",
        "void helper();\nint main() { helper(); }\n",
        0,
        "helper() is declared and used, but never defined. Write its body, with the same name, class and parameters.",
        linked=True,
    ),
    Mistake(
        "no_main",
        "int f() { return 1; }\n",
        0,
        "The program has no function main. Is the file with main among the files compiled?",
        linked=True,
    ),
    Mistake(
        "vtable",
        "struct Card {\n    Card();\n    virtual void play();\n};\nCard::Card() {}\nint main() { Card card; }\n",
        0,
        "A virtual function of Card is declared but not defined. Define every virtual function, or make it pure (= 0).",
        linked=True,
    ),
    Mistake("unused", body("int n = 5;"), 3, "The variable n is never used. Remove it, or use it."),
    Mistake("parameter", f"void f(int n) {{}}\n{MAIN}", 1, "The parameter n is never used. Remove it, or use it."),
    Mistake(
        "signed",
        "#include <vector>\nint f(std::vector<int> v) {\n    for (int i = 0; i < v.size(); i++) return 1;\n"
        "    return 0;\n}\n",
        3,
        "An int is compared with an unsigned number, such as a size. Use the same type for both, such as std::size_t.",
    ),
    Mistake(
        "assignment",
        f"int f(int n) {{\n    if (n = 3) return 1;\n    return 0;\n}}\n{MAIN}",
        2,
        "A single = assigns. To compare, write ==.",
    ),
    Mistake(
        "override",
        "struct A { virtual void play() const; };\nstruct B : A { void play() override; };\n",
        2,
        "No virtual function in the base class has the same name, parameters and const.",
    ),
    Mistake(
        "abstract",
        "struct A { virtual void play() = 0; };\nstruct B : A {};\nB b;\n",
        3,
        "Objects of B cannot be created: the class does not define all pure virtual functions: void A::play().",
    ),
    Mistake(
        "private",
        "class A { int n; };\nint main() { A a; a.n = 1; }\n",
        2,
        "int A::n is private: only functions of its class can use it.",
    ),
    Mistake(
        "const_call",
        "struct A { int n() { return 1; } };\nint f(const A& a) { return a.n(); }\n",
        2,
        "A function that is not const is called on a const object.",
    ),
    Mistake(
        "const_member",
        "struct A { int n; void f() const { n = 1; } };\n",
        1,
        "A const function cannot change A::n.",
    ),
    Mistake("const_variable", "const int n = 1;\nvoid f() { n = 2; }\n", 2, "n is const, so it cannot be changed."),
    Mistake(
        "no_match",
        "struct A { explicit A(int n); };\nA a(1, 2);\n",
        2,
        "No function matches the call A::A(int, int). Compare its arguments with the declaration.",
    ),
    Mistake(
        "print_object",
        "#include <iostream>\nstruct Card {};\nint main() { std::cout << Card(); }\n",
        3,
        "A Card cannot be printed with <<. Print its members one by one, or define operator<< for it.",
    ),
    Mistake(
        "compare_objects",
        "struct Card {};\nbool f(Card a, Card b) { return a == b; }\n",
        2,
        "== is not defined for Card and Card. Use their members, or define the operator.",
    ),
    Mistake(
        "uninitialized",
        "int main() {\n    int n;\n    return n;\n}\n",
        3,
        "n may be read before it has a value. Give it a value where it is declared.",
    ),
    Mistake(
        "primary_expression",
        "int main() {\n    return 1 + ;\n}\n",
        2,
        "A value is expected before ;: something is missing or superfluous.",
    ),
    Mistake(
        "redefinition",
        "struct Card {};\nstruct Card {};\n",
        2,
        "struct Card is declared twice. If it is in a header, begin the header with #pragma once.",
    ),
    Mistake(
        "redeclaration",
        "int main() {\n    int n = 1;\n    int n = 2;\n    return n;\n}\n",
        3,
        "int n is declared twice. If it is in a header, begin the header with #pragma once.",
    ),
    Mistake(
        "type_name",
        "Crad card;\n",
        1,
        "Crad is not known here. Is it spelt differently, declared further down or in another block?",
    ),
    Mistake(
        "member",
        "struct Card { int value; };\nint f(Card c) { return c.valeu; }\n",
        2,
        "There is no member valeu. Did you mean value?",
    ),
    Mistake(
        "no_declaration",
        "struct Card {};\nvoid Card::play() {}\n",
        2,
        "The class does not declare void Card::play(). The name, parameters and const must be the same.",
    ),
    Mistake(
        "lvalue",
        "void f(int& n);\nint main() { f(5); }\n",
        2,
        "A parameter with & can be changed, so it needs a variable, not a value.",
    ),
    Mistake("quotation_mark", body('std::cout << "Hello;'), 3, 'A quotation mark " is missing at the end of the text.'),
    Mistake(
        "return_in_void",
        "void f() { return 1; }\n",
        1,
        "This return does not match the function’s return type: void returns no value.",
    ),
    Mistake(
        "else",
        "int main() {\n    if (true);\n    return 0;\n    else return 1;\n}\n",
        4,
        "This else belongs to no if: braces are missing, or there is an extra semicolon.",
    ),
    Mistake(
        "in_a_header",
        "#include <algorithm>\n#include <vector>\nstruct Card {};\n"
        "void f(std::vector<Card> v) { std::sort(v.begin(), v.end()); }\n",
        4,
        "< is not defined for Card and Card. Use their members, or define the operator.",
    ),
    Mistake(
        "c_semicolon",
        "int main(void) {\n    int n = 5\n    return n;\n}\n",
        3,
        "A semicolon is missing. Look at the end of line 2.",
        language="c",
    ),
    Mistake(
        "c_undeclared",
        "int main(void) { return n; }\n",
        1,
        "n is not known here. Is it spelt differently, declared further down or in another block?",
        language="c",
    ),
    Mistake(
        "c_implicit",
        "int main(void) { return f(3); }\n",
        1,
        "f is not known here. Include its header, or declare it above.",
        language="c",
    ),
    Mistake(
        "c_format",
        '#include <stdio.h>\nint main(void) { printf("%d", "a"); }\n',
        2,
        "%d needs the type int, but gets char *.",
        language="c",
    ),
]


def compiled(mistake: Mistake) -> str:
    """What the compiler prints about it."""
    standard = "-std=c++17" if mistake.language == "c++" else "-std=c11"
    command = [f"g{'++' if mistake.language == 'c++' else 'cc'}", standard, "-Wall", "-Wextra", "-O1", mistake.file]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / mistake.file).write_text(mistake.text, encoding="utf-8")
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        command += [] if mistake.linked else ["-c"]
        ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return ended.stderr


if __name__ == "__main__":
    LOGS.mkdir(exist_ok=True)
    for each in MISTAKES:
        (LOGS / f"{each.name}.txt").write_text(compiled(each), encoding="utf-8")
