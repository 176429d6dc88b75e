// verdict: blocked
#include "got.h"
#include <arpa/inet.h>
#include <sys/socket.h>

int main(void)
{
    struct sockaddr_in there = {AF_INET, htons(53), {htonl(INADDR_LOOPBACK)}};
    int end = socket(AF_INET, SOCK_DGRAM, 0);
    if (sendto(end, "x", 1, 0, (struct sockaddr *)&there, sizeof there) == 1)
        puts("LEAK sent");
}
