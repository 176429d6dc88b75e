// verdict: wall or signalled 19
// limits: wall_s=0.4
#include "got.h"

int main(void)
{
    for (;;) {
        raise(SIGSTOP);
        kill(getpid(), SIGSTOP);
        pause();
    }
}
