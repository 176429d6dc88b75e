// verdict: survives
// A process that begins in another control group would leave its limits behind.
#include "attack.h"
#include <linux/sched.h>

static void attack(void)
{
    const char *names[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/..", "/proc/self/cgroup", "/sys/fs/cgroup/cgroup.procs"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        int group = open(names[at], O_RDWR);
        TRY(group >= 0 && write(group, "0", 1) == 1);
        int folder = open(names[at], O_RDONLY | O_DIRECTORY);
        struct clone_args with = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = folder};
        long child = folder < 0 ? -1 : syscall(SYS_clone3, &with, sizeof with);
        if (child == 0)
            _exit(0);
        TRY(child > 0);
    }
}
