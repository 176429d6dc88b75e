// verdict: survives or memory
// printed: (nothing\n)?
// limits: memory=67108864
// What is written to a file without a name is in no process's pages.
#include "attack.h"

static char block[1 << 20];

static void attack(void)
{
    long all = 0;
    int file = memfd_create("much", 0);
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 1, sizeof block);
    for (ssize_t more; all < 1 << 28 && (more = write(file, block, sizeof block)) > 0;)
        all += more;
    TRY(all > 64 << 20);
}
