// verdict: survives
// kept: one two folder/secret folder/three up/secret
// keeps:
// Each name that is read back is a link, or lies in a folder that is one.
#include "attack.h"

static void attack(void)
{
    int file = open("real", O_WRONLY | O_CREAT, 0666);
    TRY(write(file, "real\n", 5) != 5);
    symlink("/tmp/quadrille-hostile/secret", "one");
    symlink("real", "two");
    symlink("/tmp/quadrille-hostile", "folder");
    symlink("../../../../../../tmp/quadrille-hostile", "up");
}
