// verdict: survives
// To set a limit to what it already is would be harmless; but it may not even try.
#include "attack.h"
#include <sys/resource.h>

static void attack(void)
{
    for (int kind = 0; kind < RLIM_NLIMITS; kind++) {
        struct rlimit now, more = {RLIM_INFINITY, RLIM_INFINITY};
        if (getrlimit(kind, &now) == 0 && now.rlim_max != RLIM_INFINITY && setrlimit(kind, &more) == 0)
            got("setrlimit", "");
        TRY(prlimit(getppid(), kind, &more, NULL) == 0 && getppid());
        TRY(prlimit(1, kind, NULL, &now) == 0 && getpid() != 1);
    }
}
