// verdict: blocked
// each: every system call that only an attack would make, but for the one that starts a program
#include "calls/by_number.c"
