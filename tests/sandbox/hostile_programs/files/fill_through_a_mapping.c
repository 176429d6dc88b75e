// verdict: survives or signalled 7 or memory
// printed: (nothing\n)?
// limits: scratch=4194304
// Pages of a sparse file are filled by writing to memory; where no block is left, the kernel sends SIGBUS.
#include "attack.h"

static void attack(void)
{
    int file = open("mapped", O_RDWR | O_CREAT, 0666);
    signal(SIGXFSZ, SIG_IGN);
    if (ftruncate(file, 32 << 20) != 0)
        return;
    char *pages = mmap(NULL, 32 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (int at = 0; pages != MAP_FAILED && at < 32 << 20; at += 4096)
        pages[at] = 1;
    TRY(pages != MAP_FAILED);
}
