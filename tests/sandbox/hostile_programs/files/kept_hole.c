// verdict: survives or signalled 25
// kept: hole many
// A file that is a terabyte long and holds nothing. What is read back of it must stay small.
#include "attack.h"

static void attack(void)
{
    int file = open("hole", O_WRONLY | O_CREAT, 0666);
    signal(SIGXFSZ, SIG_IGN);
    TRY(ftruncate(file, 1L << 40) == 0 && 0);
    TRY(lseek(file, 1L << 39, SEEK_SET) > 0 && write(file, "x", 1) == 1 && 0);
}
