// verdict: survives
#include "attack.h"
#include <sched.h>

static int run(void *unused) { return unused != NULL; }
static char stack[1 << 16];

static void attack(void)
{
    TRY(clone(run, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL) >= 0);
    TRY(clone(run, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL) >= 0);
    TRY(clone(run, stack + sizeof stack, CLONE_PARENT | SIGCHLD, NULL) >= 0);
    TRY(clone(run, stack + sizeof stack, CLONE_VM | CLONE_UNTRACED | SIGCHLD, NULL) >= 0);
}
