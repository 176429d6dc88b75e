// verdict: survives
#include "attack.h"
#include <sys/prctl.h>

static void attack(void)
{
    TRY(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
    TRY(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
    TRY(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0);
    TRY(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    TRY(prctl(PR_SET_PTRACER, -1L, 0, 0, 0) == 0);
    TRY(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0);
    TRY(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 0, 0, 0) == 0);
    TRY(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0);
    TRY(prctl(PR_SET_MM, PR_SET_MM_ARG_START, 0, 0, 0) == 0);
}
