// verdict: cpu
// limits: cpu_s=0.1
#include "got.h"

int main(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
    for (;;)
        ;
}
