// verdict: survives
// limits: cpu_s=5 wall_s=20
// It reads every file that it can see, and looks for the marker in it.
#include "attack.h"
#include <ftw.h>

static char content[1 << 16];

static int look(const char *name, const struct stat *about, int kind, struct FTW *where)
{
    (void)where;
    if (has_marker(name, strlen(name)))
        got("name", name);
    if (kind != FTW_F || (!S_ISREG(about->st_mode)) || about->st_size > 4 << 20)
        return 0;
    int file = open(name, O_RDONLY | O_NONBLOCK);
    for (ssize_t length; file >= 0 && (length = read(file, content, sizeof content)) > 0;)
        if (has_marker(content, length))
            got("found in", name);
    close(file);
    return 0;
}

static void attack(void) { nftw("/", look, 50, FTW_PHYS); }
