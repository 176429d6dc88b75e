// The frame of an attack that should get nothing, and the program should come to its end.
#include "got.h"

static void attack(void);

int main(void)
{
    attack();
    if (!leaks)
        puts("nothing");
    return 0;
}
