// verdict: blocked
// each: every system call that only an attack would make
// The suite gives it the number.
#include "got.h"

int main(int argc, char **argv)
{
    long done = argc == 2 ? syscall(atol(argv[1]), -1L, -1L, -1L, -1L, -1L, -1L) : 0;
    printf("LEAK it came back with %ld %d\n", done, errno);
}
