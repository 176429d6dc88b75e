"""C++17, compiled by g++."""

from grader.programs.languages.language import Language

CPP17 = Language(
    slug="cpp17",
    title="C++17",
    tool="g++",
    sources=(".cpp", ".cc", ".cxx", ".C"),
    headers=(".h", ".hpp", ".hh", ".hxx", ".ipp", ".tpp"),
    compiler=("g++", "-std=c++17", "-Wall", "-Wextra"),
    self_test={
        "word.h": "#include <string>\nstd::string word();\n",
        "word.cpp": '#include <iostream>\n#include "word.h"\n'
        "std::string word() { std::string read; std::cin >> read; return read; }\n",
        "main.cpp": '#include <iostream>\n#include "word.h"\nint main() { std::cout << word() << std::endl; }\n',
    },
)
