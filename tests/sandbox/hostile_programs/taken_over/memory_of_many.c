// verdict: memory
// limits: memory=134217728 processes=20 cpu_s=5
// Each takes less than the limit, all together take much more; one after the other, so that what they have in the end
// depends on the limit and not on how soon somebody looks.
#include "got.h"
#include <sys/wait.h>

int main(void)
{
    for (int more = 0; more < 18; more++) {
        if (fork() == 0) {
            volatile char *part = malloc(15 << 20);
            for (int at = 0; at < 15 << 20; at += 4096)
                part[at] = 1;
            sleep(5);
            _exit(0);
        }
        usleep(50000);
    }
    while (wait(NULL) > 0)
        ;
    puts("LEAK");
}
