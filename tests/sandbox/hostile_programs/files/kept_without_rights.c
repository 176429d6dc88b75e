// verdict: survives
// kept: locked inside/file
// Its owner has taken all rights away from the file and from the folder.
#include "attack.h"

static void attack(void)
{
    int file = open("locked", O_WRONLY | O_CREAT, 0666);
    TRY(write(file, "locked\n", 7) != 7);
    mkdir("inside", 0777);
    open("inside/file", O_WRONLY | O_CREAT, 0666);
    chmod("locked", 0);
    chmod("inside", 0);
    chmod(".", 0);
}
