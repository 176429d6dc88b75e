// verdict: exited 0
// differs: which of the two is there, is a matter of luck
// kept: folder/secret
// A process that was left behind swaps a folder for a link, again and again, while somebody reads what is in it.
#include "got.h"

int main(void)
{
    mkdir("folder", 0777);
    close(open("folder/secret", O_WRONLY | O_CREAT, 0666));
    symlink("/tmp/quadrille-hostile", "link");
    if (fork() > 0)
        return 0;
    setsid();
    for (;;) {
        rename("folder", "away"), rename("link", "folder");
        rename("folder", "link"), rename("away", "folder");
    }
}
