// verdict: output
// limits: output=65536 memory=134217728
#include "got.h"

int main(void)
{
    char *block = malloc(32 << 20);
    memset(block, 'x', 32 << 20);
    for (long at = 0; at < 32 << 20;)
        at += write(1, block + at, (32 << 20) - at);
    sleep(1);
}
