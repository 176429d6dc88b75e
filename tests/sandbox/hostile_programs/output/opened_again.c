// verdict: survives
// A pipe or a file can be opened once more through /proc, from its other side too.
#include "attack.h"

static void attack(void)
{
    const char *names[] = {"/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1"};
    char room[16];
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        int writer = open(names[at], O_WRONLY | O_NONBLOCK), reader = open(names[at], O_RDONLY | O_NONBLOCK);
        if (at % 3 == 0 && writer >= 0)
            got("writes to its input", names[at]);
        if (at % 3 && at < 6 && reader >= 0 && read(reader, room, sizeof room) > 0)
            got("reads its output", names[at]);
    }
}
