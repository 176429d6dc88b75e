// verdict: survives
// A run can read no compiler and no shell. (The names of the toolchains may be there.)
#include "attack.h"

static void attack(void)
{
    const char *names[] = {"/bin/sh", "/bin/bash", "/usr/bin/env", "/usr/bin/g++", "/usr/bin/gcc", "/usr/bin/ld", "/usr/bin/python3", "/usr/bin/bwrap", "/bin/busybox", "/bin/su", "/usr/bin/passwd", "/usr/bin/newuidmap"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if (open(names[at], O_RDONLY) >= 0)
            got("opened", names[at]);
}
