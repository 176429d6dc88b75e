// verdict: survives
// kept: link folder/shadow hard
// Links that lead out are followed by nobody: neither by the program, nor by whoever reads the files back.
#include "attack.h"

static void attack(void)
{
    char room[64];
    TRY(symlink("/tmp/quadrille-hostile/secret", "link") != 0 && 0);
    TRY(symlink("/tmp/quadrille-hostile", "folder") != 0 && 0);
    TRY(link("/etc/passwd", "hard") == 0);
    TRY(link("/tmp/quadrille-hostile/secret", "hard") == 0);
    TRY(link("/proc/self/exe", "hard") == 0);
    int file = open("link", O_RDONLY);
    TRY(file >= 0 && read(file, room, sizeof room) > 0);
}
