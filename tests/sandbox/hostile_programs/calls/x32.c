// verdict: blocked
// only: x86_64
// A filter that knows only the usual numbers lets these pass.
#include "got.h"

int main(void)
{
    printf("LEAK %ld %d\n", syscall(0x40000000 + 39), errno);
}
