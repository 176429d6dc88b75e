// verdict: exited 0
// builds: yes
// differs: the time of day
// No attack.
#include <cstdio>

int main() { std::puts(__FILE__ __DATE__ __TIME__); }
