// verdict: blocked
#include "got.h"
#include <sys/uio.h>

int main(void)
{
    char room[64];
    struct iovec mine = {room, sizeof room}, theirs = {(void *)&main, sizeof room};
    printf("LEAK %zd\n", process_vm_readv(getppid() ? getppid() : 1, &mine, 1, &theirs, 1, 0));
}
