// verdict: wall
// limits: wall_s=0.4
// printed: last words\n
// Whoever waits for the end of the output must still notice the time.
#include "got.h"

int main(void)
{
    puts("last words"), fflush(stdout);
    close(0), close(1), close(2);
    for (;;)
        pause();
}
