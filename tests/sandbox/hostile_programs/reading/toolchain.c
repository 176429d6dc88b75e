// verdict: survives
// A run sees no compiler and no shell.
#include "attack.h"

static void attack(void)
{
    const char *names[] = {"/bin/sh", "/bin/bash", "/usr/bin/env", "/usr/bin/g++", "/usr/bin/gcc", "/usr/bin/ld", "/usr/bin/python3", "/usr/bin/bwrap", "/bin/busybox", "/bin/su", "/usr/bin/passwd", "/usr/bin/newuidmap"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if (access(names[at], F_OK) == 0)
            got("sees", names[at]);
}
