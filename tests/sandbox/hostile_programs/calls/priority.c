// verdict: survives
// More of the processor than others, or other processors than those that it was given.
#include "attack.h"
#include <sched.h>
#include <sys/resource.h>

static void attack(void)
{
    struct sched_param real_time = {1};
    cpu_set_t all;
    memset(&all, -1, sizeof all);
    TRY(nice(-10) != -1);
    TRY(setpriority(PRIO_PROCESS, 0, -10) == 0);
    TRY(setpriority(PRIO_USER, 0, 19) == 0);
    TRY(sched_setscheduler(0, SCHED_FIFO, &real_time) == 0);
    TRY(sched_setscheduler(0, SCHED_RR, &real_time) == 0);
    TRY(sched_setaffinity(0, sizeof all, &all) == 0);
    TRY(sched_setaffinity(getppid(), sizeof all, &all) == 0);
    TRY(syscall(SYS_ioprio_set, 1, 0, 1 << 13) == 0);
}
