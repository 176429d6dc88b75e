// verdict: exited 0 or exited 1 or wall
// each: /proc/self/fd/3 /proc/self/fd/4 /proc/self/fd/5 /proc/self/fd/6 /proc/self/fd/7 /dev/fd/2 /dev/stdin
// limits: wall_s=1
// Whatever the compiler has open, and the standard input, where there is nothing to read and nobody who types.
#include EACH

int main() { return 0; }
