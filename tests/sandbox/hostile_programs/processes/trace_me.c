// verdict: blocked
// Who is traced by its parent can have it wait for ever.
#include "got.h"
#include <sys/ptrace.h>

int main(void)
{
    printf("LEAK %ld\n", ptrace(PTRACE_TRACEME, 0, 0, 0));
}
