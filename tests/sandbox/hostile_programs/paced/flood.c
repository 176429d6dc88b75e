// verdict: output
// paced: yes
// stdin: 1\n2\n
// limits: output=65536
#include "got.h"

int main(void)
{
    for (;;)
        puts("flood");
}
