// verdict: wall
// limits: wall_s=0.4
// printed: right answer\n
#include "got.h"

static void handler(void)
{
    fflush(stdout);
    for (;;)
        pause();
}

int main(void)
{
    atexit(handler);
    puts("right answer");
    return 0;
}
