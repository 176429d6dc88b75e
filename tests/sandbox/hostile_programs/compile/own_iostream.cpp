// verdict: exited 0
// builds: yes
// file: iostream = #error LEAK
// file: bits/c++config.h = #error LEAK
// file: cstdlib = #error LEAK
// Between angle brackets stands the system's, and the system's includes the system's.
#include <iostream>
#include <cstdlib>

int main() { std::cout << "hello\n"; }
