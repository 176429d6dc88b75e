// verdict: survives
// A lock on a file that all see is a message, or stops others.
#include "attack.h"
#include <sys/file.h>

static void attack(void)
{
    const char *names[] = {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/", "/usr", "/lib", "/proc/self/exe", "/proc/self/cmdline"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        int file = open(names[at], O_RDONLY);
        struct flock lock = {.l_type = F_RDLCK};
        TRY(file >= 0 && at != 6 && flock(file, LOCK_EX | LOCK_NB) == 0);
        TRY(file >= 0 && at != 6 && fcntl(file, F_SETLK, &lock) == 0);
        TRY(file >= 0 && at != 6 && fcntl(file, F_SETLEASE, F_RDLCK) == 0);
        TRY(file >= 0 && fcntl(file, F_NOTIFY, DN_ACCESS) == 0);
    }
}
