// verdict: survives
#include "attack.h"
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

static void attack(void)
{
    struct timespec then = {1, 0};
    struct timeval early = {1, 0};
    struct timex how = {.modes = ADJ_OFFSET};
    TRY(clock_settime(CLOCK_REALTIME, &then) == 0);
    TRY(settimeofday(&early, NULL) == 0);
    TRY(adjtimex(&how) >= 0);
}
