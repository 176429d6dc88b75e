// verdict: memory
// limits: memory=134217728 processes=20 cpu_s=5
// Each takes less than the limit, all together take much more.
#include "got.h"
#include <sys/wait.h>

int main(void)
{
    for (int more = 0; more < 10; more++)
        if (fork() == 0) {
            volatile char *part = malloc(40 << 20);
            for (int at = 0; at < 40 << 20; at += 4096)
                part[at] = 1;
            sleep(3);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    puts("LEAK");
}
