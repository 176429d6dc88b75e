// verdict: survives
// Only its three descriptors should be open; whatever else is, belongs to somebody else.
#include "attack.h"
#include <sys/uio.h>

static void attack(void)
{
    char room[16], name[40];
    struct iovec part = {"junk", 4};
    for (int file = 3; file < 1100; file++) {
        snprintf(name, sizeof name, "%d", file);
        if (fcntl(file, F_GETFD) >= 0 || fcntl(file, F_GETFL) >= 0)
            got("open", name);
        if (write(file, "junk", 4) >= 0 || writev(file, &part, 1) >= 0 || dup(file) >= 0)
            got("written", name);
        if (read(file, room, 1) >= 0 || lseek(file, 0, SEEK_CUR) >= 0 || fchdir(file) == 0)
            got("read", name);
    }
    TRY(write(0, "junk", 4) >= 0);
    TRY(read(1, room, 1) >= 0);
    TRY(read(2, room, 1) >= 0);
}
