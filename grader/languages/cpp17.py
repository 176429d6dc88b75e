"""C++17, compiled by g++."""

from grader.languages.language import Language

CPP17 = Language(
    slug="cpp17",
    title="C++17",
    tool="g++",
    sources=(".cpp", ".cc", ".cxx", ".C"),
    headers=(".h", ".hpp", ".hh", ".hxx", ".ipp", ".tpp"),
    code="cpp",
    package_suffixes=(".c++",),
    package_options=("-O2", "-std=gnu++17"),
    compiler=("g++", "-std=c++17", "-Wall", "-Wextra"),
    self_test={
        "word.h": "const char* word();\n",
        "word.cpp": '#include <iostream>\n#include <string>\n#include "word.h"\n'
        "static std::string read;\nconst char* word() { std::cin >> read; return read.c_str(); }\n",
        "main.cpp": '#include <cstdio>\n#include "word.h"\nint main() { std::puts(word()); }\n',
    },
)
