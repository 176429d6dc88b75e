// verdict: survives
// It should know of no process but its own, and of those that the jail itself needs nothing but the number.
#include "attack.h"
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

static void attack(void)
{
    cpu_set_t some;
    struct timespec used;
    for (int pid = 3; pid < 1000; pid++) {
        if (pid == getpid() || pid == getppid())
            continue;
        TRY(kill(pid, 0) == 0);
        TRY(getpgid(pid) >= 0);
        TRY(getsid(pid) >= 0);
        TRY(sched_getaffinity(pid, sizeof some, &some) >= 0);
        TRY(getpriority(PRIO_PROCESS, pid) != -1);
        TRY(sched_getscheduler(pid) >= 0);
        TRY(clock_gettime((clockid_t)(~(unsigned)pid << 3 | 2), &used) == 0);
    }
}
