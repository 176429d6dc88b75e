// verdict: exited 0
// builds: yes
// No attack.
#include <cstdio>

int main() { std::puts(__FILE__ __DATE__ __TIME__); }
