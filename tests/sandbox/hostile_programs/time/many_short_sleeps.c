// verdict: wall or cpu
// limits: wall_s=0.4 cpu_s=0.1
// It wakes for moments only, and is never seen at work.
#include "got.h"
#include <time.h>

int main(void)
{
    struct timespec moment = {0, 50000};
    for (;;) {
        nanosleep(&moment, NULL);
        for (volatile int more = 0; more < 20000; more++)
            ;
    }
}
