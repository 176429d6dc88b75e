// verdict: blocked
// only: x86_64
// The old entry has other numbers: 20 is getpid, and for other programs writev.
#include "got.h"

int main(void)
{
    long done;
    __asm__ volatile("int $0x80" : "=a"(done) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    printf("LEAK %ld\n", done);
}
