// verdict: cpu
// limits: cpu_s=0.1
// printed: before\n
#include "got.h"

int main(void)
{
    puts("before"), fflush(stdout);
    for (volatile unsigned long more = 0;; more++)
        ;
}
