// verdict: exited 0
// paced: yes
// stdin: one\n
// printed: one
// It looks whether there is input in place of waiting for it, now and then.
#include "got.h"
#include <poll.h>

int main(void)
{
    struct pollfd input = {0, POLLIN, 0};
    char line[4];
    if (poll(&input, 1, 5000) != 1 || read(0, line, 3) != 3)
        return 1;
    return write(1, line, 3) != 3;
}
