// verdict: exited 0
// limits: output=65536
// printed: x{65536}
#include "got.h"

int main(void)
{
    for (int more = 0; more < 65536; more++)
        putchar('x');
}
