// verdict: exited 0
// builds: yes
// file: iostream = #error LEAK
// file: bits/stdc++.h = #error LEAK
// file: cstdlib = #error LEAK
// Between angle brackets stands the system's, and the system's includes the system's.
#include <iostream>
#include <bits/stdc++.h>

int main() { std::cout << "hello\n"; }
