// verdict: survives or memory or signalled 11
// limits: memory=67108864
// printed: (nothing\n)?
// One page in every two megabytes: each needs another page for the table in which it stands.
#include "attack.h"

static void attack(void)
{
    char *pages = mmap(NULL, 1L << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return;
    madvise(pages, 1L << 40, MADV_NOHUGEPAGE);
    for (long at = 0; at < 1L << 38; at += 2 << 20)
        *(volatile char *)(pages + at);
    got("page tables", "");
}
