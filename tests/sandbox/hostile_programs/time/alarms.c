// verdict: survives or signalled 14
// differs: which comes first, the timer or the end
// printed: (nothing\n)?
// A timer of its own may end it, but not hide the time that it takes.
#include "attack.h"
#include <sys/time.h>
#include <time.h>

static void attack(void)
{
    struct itimerval soon = {{0, 1000}, {0, 1000}};
    timer_t timer;
    struct sigevent to = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    if (timer_create(CLOCK_MONOTONIC, &to, &timer) == 0)
        timer_delete(timer);
    setitimer(ITIMER_REAL, &soon, NULL);
    setitimer(ITIMER_PROF, &soon, NULL);
}
