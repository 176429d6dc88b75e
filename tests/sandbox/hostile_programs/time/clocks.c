// verdict: exited 0
// printed: works\n
// Programs may read the clock. (To measure others by it is possible in every sandbox; nothing here counts on that.)
#include "got.h"
#include <time.h>

int main(void)
{
    struct timespec now;
    int right = clock_gettime(CLOCK_MONOTONIC, &now) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0;
#ifdef __x86_64__
    right = right && __builtin_ia32_rdtsc() > 0;
#endif
    puts(right && time(NULL) > 1000000 ? "works" : "LEAK no clock");
}
