// verdict: survives or cpu
// printed: (nothing\n)?
// limits: cpu_s=0.2 memory=67108864
// Each name that is not there is remembered by the kernel, in memory that no limit of a process counts.
#include "attack.h"

static void attack(void)
{
    char name[300];
    memset(name, 'n', sizeof name);
    for (int number = 0; number < 400000; number++) {
        snprintf(name, 12, "%011d", number);
        name[11] = 'n';
        name[250] = 0;
        access(name, F_OK);
    }
}
