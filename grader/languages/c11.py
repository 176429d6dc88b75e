"""C11, compiled by gcc."""

from grader.languages.language import Language

C11 = Language(
    slug="c11",
    title="C11",
    tool="gcc",
    sources=(".c",),
    headers=(".h",),
    code="c",
    package_options=("-O2", "-std=gnu11", "-lm"),
    compiler=("gcc", "-std=c11", "-Wall", "-Wextra"),
    steady=("-D__has_builtin(x)=0",),
    self_test={
        "word.h": "void print_word(void);\n",
        "word.c": '#include <stdio.h>\n#include "word.h"\n'
        'void print_word(void) { char word[80]; if (scanf("%79s", word) == 1) puts(word); }\n',
        "main.c": '#include "word.h"\nint main(void) { print_word(); return 0; }\n',
    },
)
