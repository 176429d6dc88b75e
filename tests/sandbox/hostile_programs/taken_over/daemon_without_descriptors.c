// verdict: exited 0
// printed: 
#include "got.h"
#include <sys/wait.h>

int main(void)
{
    if (fork() > 0)
        return 0;
    setsid();
    if (fork() > 0)
        return 0;
    for (int file = 0; file < 1000; file++)
        close(file);
    for (;;)
        pause();
}
