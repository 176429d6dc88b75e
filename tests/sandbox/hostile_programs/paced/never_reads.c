// verdict: wall
// paced: yes
// stdin: 1\n2\n3\n
// limits: wall_s=0.4
// printed: \? 
// It waits, but not for input.
#include "got.h"

int main(void)
{
    printf("? "), fflush(stdout);
    for (;;)
        pause();
}
