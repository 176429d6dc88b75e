// verdict: output
// limits: output=65536
#include "got.h"

int main(void)
{
    for (;;)
        puts("flood");
}
