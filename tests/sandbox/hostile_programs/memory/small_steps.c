// verdict: memory
// limits: memory=67108864
#include "got.h"

int main(void)
{
    for (long all = 0; all < 1 << 30; all += 1000) {
        char *more = malloc(1000);
        more[0] = 1;
    }
    puts("LEAK");
}
