// verdict: survives
// only: nested
// limits: files=100
// Empty files take memory of the kernel, each some.
#include "attack.h"

static void attack(void)
{
    int made = 0;
    char name[20];
    for (int number = 0; number < 20000; number++) {
        snprintf(name, sizeof name, "%d", number);
        int file = open(name, O_WRONLY | O_CREAT, 0666);
        made += file >= 0;
        close(file);
        made += symlink("x", name) == 0;
    }
    TRY(made > 100);
}
