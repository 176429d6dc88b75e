// verdict: wall
// limits: wall_s=0.3
// printed: before\n
#include "got.h"

int main(void)
{
    puts("before"), fflush(stdout);
    sleep(1000);
}
