// verdict: survives
#include "attack.h"

static void attack(void)
{
    char up[400] = "";
    for (int more = 0; more < 60; more++)
        strcat(up, "../");
    strcat(up, "tmp/quadrille-hostile/secret");
    TRY(open(up, O_RDONLY) >= 0);
    TRY(chdir("/proc/1/root") == 0);
    TRY(open("/proc/self/cwd/../../../tmp/quadrille-hostile/secret", O_RDONLY) >= 0);
}
