// verdict: signalled 11 or memory
// limits: memory=67108864
#include "got.h"

int main(int argc, char **argv)
{
    volatile char array[(size_t)(argc) << 30];
    for (long at = (1L << 30) - 1; at >= 0; at -= 4096)
        array[at] = 1;
    puts("LEAK");
}
