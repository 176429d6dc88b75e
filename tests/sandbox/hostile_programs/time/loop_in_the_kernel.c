// verdict: cpu
// limits: cpu_s=0.1
// Time in the kernel is time of the program.
#include "got.h"

int main(void)
{
    char room[64];
    for (;;)
        if (getcwd(room, 1) || readlink("/", room, sizeof room) > 0)
            return 1;
}
