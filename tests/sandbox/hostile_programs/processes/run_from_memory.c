// verdict: survives or blocked
// A program in a file that has no name.
#include "attack.h"

static void attack(void)
{
    int file = memfd_create("program", 0), self = open("/proc/self/exe", O_RDONLY);
    char part[4096], *again[] = {"again", NULL};
    ssize_t length;
    if (file < 0)
        return;
    while ((length = read(self, part, sizeof part)) > 0)
        TRY(write(file, part, length) < 0);
    fexecve(file, again, environ);
    got("fexecve came back", "");
}
