// verdict: blocked
#include "got.h"
#include <sys/socket.h>

int main(void)
{
    int pair[2];
    printf("LEAK %d\n", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}
