// verdict: blocked
#include "got.h"
#include <sys/ptrace.h>
#include <sys/wait.h>

int main(void)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    printf("LEAK %ld\n", ptrace(PTRACE_ATTACH, child, 0, 0));
}
