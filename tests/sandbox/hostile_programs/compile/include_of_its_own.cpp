// verdict: exited 1 or exited 0
// each: /proc/self/environ /proc/self/cmdline /proc/self/maps /proc/cpuinfo /proc/mounts /etc/passwd /etc/hostname
// Of the compiler's own environment it may see what is there; no marker may be in it.
#include EACH

int main() { return 0; }
