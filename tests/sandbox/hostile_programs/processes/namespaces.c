// verdict: survives
// Processes in namespaces of their own, in which they would be root.
#include "attack.h"
#include <linux/sched.h>

static void attack(void)
{
    const unsigned long kinds[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID};
    for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {
        struct clone_args with = {.flags = kinds[at], .exit_signal = SIGCHLD};
        long child = syscall(SYS_clone3, &with, sizeof with);
        if (child == 0)
            _exit(0);
        TRY(child > 0);
        child = syscall(SYS_clone, kinds[at] | SIGCHLD, 0, 0, 0, 0);
        if (child == 0)
            _exit(0);
        TRY(child > 0);
    }
}
