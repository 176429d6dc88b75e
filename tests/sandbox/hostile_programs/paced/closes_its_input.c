// verdict: exited 0
// paced: yes
// stdin: 1\n2\n3\n
// printed: (closed\n){1000}
// Nobody may come to harm who writes to a pipe that is closed at its other end.
#include "got.h"

int main(void)
{
    getchar();
    fclose(stdin), close(0);
    for (int more = 0; more < 1000; more++)
        puts("closed"), fflush(stdout);
}
