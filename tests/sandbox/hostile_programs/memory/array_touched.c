// verdict: memory or signalled 11
// limits: memory=67108864
#include "got.h"

static volatile char array[1 << 30];

int main(void)
{
    for (long at = 0; at < 1 << 30; at += 4096)
        array[at] = 1;
    puts("LEAK");
}
