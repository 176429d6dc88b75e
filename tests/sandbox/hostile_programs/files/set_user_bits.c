// verdict: survives
// limits: scratch=8388608
// A file that runs as its owner, or belongs to another, or is a device.
#include "attack.h"
#include <sys/sysmacros.h>

static void attack(void)
{
    TRY(mknod("disk", S_IFBLK | 0666, makedev(8, 0)) == 0);
    TRY(mknod("memory", S_IFCHR | 0666, makedev(1, 1)) == 0);
    int file = open("mine", O_WRONLY | O_CREAT, 0700);
    TRY(file >= 0 && chown("mine", 0, 0) == 0);
    chmod("mine", 06777);
}
