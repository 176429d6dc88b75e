// verdict: blocked
#include "got.h"

__attribute__((constructor)) static void first(void)
{
    syscall(SYS_ptrace, 0, 0, 0, 0);
    puts("LEAK");
}

int main(void) { puts("LEAK main"); }
