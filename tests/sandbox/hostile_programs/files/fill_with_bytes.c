// verdict: survives
// only: nested
// limits: scratch=4194304
// kept: 0 1
#include "attack.h"

static char block[1 << 16];

static void attack(void)
{
    long all = 0;
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 'x', sizeof block);
    for (char name = '0'; name <= '9'; name++) {
        int file = open((char[]){name, 0}, O_WRONLY | O_CREAT, 0666);
        for (ssize_t more; all < 64 << 20 && (more = write(file, block, sizeof block)) > 0;)
            all += more;
        TRY(file >= 0 && fallocate(file, 0, 0, 64 << 20) == 0);
    }
    TRY(all > 4 << 20);
}
