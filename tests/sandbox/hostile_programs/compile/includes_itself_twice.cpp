// verdict: exited 1 or cpu or output or wall
// limits: cpu_s=0.2
#include __FILE__
#include __FILE__

int main() { return 0; }
