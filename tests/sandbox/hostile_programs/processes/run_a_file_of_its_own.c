// verdict: blocked
// What it has written itself may not be run.
#include "got.h"

int main(void)
{
    char *again[] = {"./again", NULL};
    int file = open("again", O_WRONLY | O_CREAT, 0700);
    if (write(file, "#!/bin/sh\necho LEAK\n", 20) != 20)
        return 1;
    close(file);
    chmod("again", 0700);
    execve("./again", again, environ);
    printf("LEAK it came back with %d\n", errno);
}
