// verdict: survives
// kept: queue socket folder
// keeps:
// To open a queue waits for somebody at its other end.
#include "attack.h"

static void attack(void)
{
    mkfifo("queue", 0666);
    mknod("socket", S_IFSOCK | 0666, 0);
    mkdir("folder", 0777);
}
