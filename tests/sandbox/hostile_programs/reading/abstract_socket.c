// verdict: blocked
// The suite listens at that name, which is in no folder.
#include "got.h"
#include <sys/socket.h>
#include <sys/un.h>

int main(void)
{
    struct sockaddr_un there = {AF_UNIX, "\0quadrille-hostile"};
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(end, (struct sockaddr *)&there, sizeof(sa_family_t) + 18) == 0)
        puts("LEAK connected");
}
