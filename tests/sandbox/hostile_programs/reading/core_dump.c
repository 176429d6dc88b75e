// verdict: signalled 6
// kept: core
// keeps:
// printed: (?s)(?!.*LEAK).*
// A core file could be large, and its place is the machine's choice.
#include "got.h"
#include <sys/resource.h>

int main(void)
{
    struct rlimit limit, most = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_CORE, &most) == 0)
        puts("LEAK raised");
    if (getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max > 0)
        puts("LEAK limit");
    fflush(stdout);
    abort();
}
