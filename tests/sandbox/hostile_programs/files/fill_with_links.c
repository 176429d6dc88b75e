// verdict: survives
// limits: files=100
// One file of many names.
#include "attack.h"

static void attack(void)
{
    int made = 0;
    char name[20];
    close(open("file", O_WRONLY | O_CREAT, 0666));
    for (int number = 0; number < 20000; number++) {
        snprintf(name, sizeof name, "%d", number);
        made += link("file", name) == 0;
    }
    TRY(made > 2000);
}
