// verdict: survives
// Another folder in its place: whoever uses the name finds what the program put there.
#include "attack.h"

static void attack(void)
{
    char here[PATH_MAX], other[PATH_MAX + 8];
    if (!getcwd(here, sizeof here))
        return;
    snprintf(other, sizeof other, "%s-moved", here);
    TRY(rename(here, other) == 0);
    TRY(rmdir(here) == 0);
    TRY(rename(".", "../moved") == 0);
    TRY(symlink("/etc", here) == 0);
}
