// verdict: survives
// limits: memory=67108864
// Pages that may not be given away.
#include "attack.h"

static void attack(void)
{
    char *pages = mmap(NULL, 48 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TRY(pages != MAP_FAILED && mlock(pages, 48 << 20) == 0);
    TRY(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
}
