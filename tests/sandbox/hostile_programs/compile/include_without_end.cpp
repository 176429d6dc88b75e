// verdict: exited 1 or cpu or memory
// builds: no
// each: /dev/zero /dev/urandom /dev/full
// limits: cpu_s=0.2
#include EACH

int main() { return 0; }
