// verdict: survives
// kept: environ maps zero root/etc/shadow
// keeps:
#include "attack.h"

static void attack(void)
{
    symlink("/proc/self/environ", "environ");
    symlink("/proc/self/maps", "maps");
    symlink("/dev/zero", "zero");
    symlink("/proc/1/root", "root");
}
