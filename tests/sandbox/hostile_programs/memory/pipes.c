// verdict: survives or memory
// limits: memory=67108864
// printed: (nothing\n)?
// The buffers of pipes are the kernel's.
#include "attack.h"

static char block[1 << 16];

static void attack(void)
{
    long all = 0;
    int ends[2];
    while (all < 1 << 28 && pipe2(ends, O_NONBLOCK) == 0) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        for (ssize_t more; (more = write(ends[1], block, sizeof block)) > 0;)
            all += more;
    }
    TRY(all > 64 << 20);
}
