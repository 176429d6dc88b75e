// verdict: blocked
// each: 1/1 1/5 2/1 2/2 2/3 10/1 10/2 15/3 16/3 17/3 29/3 31/1 38/5 40/1 44/3 45/2
// The number of a family and of a type: local ones, IP, raw ones, netlink, packets, the kernel's ciphers, …
#include "got.h"
#include <sys/socket.h>

int main(int argc, char **argv)
{
    int family = 0, type = 0;
    if (argc < 2 || sscanf(argv[1], "%d/%d", &family, &type) != 2)
        return 1;
    int made = socket(family, type, 0);
    printf("LEAK it came back with %d %d\n", made, errno);
}
