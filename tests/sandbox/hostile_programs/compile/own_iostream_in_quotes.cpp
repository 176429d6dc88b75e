// verdict: exited 1
// said: mine
// file: iostream = #error mine
// Between quotes stands the student's own, as in every compiler. Nobody's but the student's program gets it.
#include "iostream"

int main() { return 0; }
