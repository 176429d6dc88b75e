// verdict: output
// limits: output=65536
// printed: x{65536}
#include "got.h"

int main(void)
{
    for (int more = 0; more < 65537; more++)
        putchar('x');
}
