// verdict: survives
// only: nested
// limits: files=100
// Whoever clears them away should not go down by recursion, nor by names that get longer and longer.
#include "attack.h"

static void attack(void)
{
    char name[201];
    int depth = 0;
    memset(name, 'd', 200);
    name[200] = 0;
    while (depth < 5000 && mkdir(name, 0777) == 0 && chdir(name) == 0)
        depth++;
    TRY(depth > 100);
}
