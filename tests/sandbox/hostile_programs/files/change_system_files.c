// verdict: survives
#include "attack.h"

static void attack(void)
{
    const char *names[] = {"/etc/passwd", "/etc/ld.so.cache", "/etc/ld.so.preload", "/lib", "/lib64", "/usr", "/usr/bin", "/usr/lib", "/", "/proc/self/oom_score_adj", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/proc/self/uid_map", "/proc/self/autogroup", "/proc/self/coredump_filter", "/proc/self/timerslack_ns"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        if (open(names[at], O_WRONLY) >= 0 || open(names[at], O_RDWR) >= 0)
            got("opened for writing", names[at]);
        if (chmod(names[at], 0777) == 0 || chown(names[at], getuid(), getgid()) == 0)
            got("changed", names[at]);
        if (rename(names[at], "moved") == 0 || unlink(names[at]) == 0 || truncate(names[at], 0) == 0)
            got("removed", names[at]);
    }
}
