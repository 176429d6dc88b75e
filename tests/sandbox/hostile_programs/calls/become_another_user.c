// verdict: survives
#include "attack.h"
#include <grp.h>
#include <sys/fsuid.h>

static void attack(void)
{
    gid_t root = 0;
    TRY(getuid() == 0 || geteuid() == 0 || getgid() == 0);
    TRY(setuid(0) == 0);
    TRY(setgid(0) == 0);
    TRY(setresuid(0, 0, 0) == 0);
    TRY(setreuid(0, 0) == 0);
    TRY(setregid(0, 0) == 0);
    TRY(setgroups(1, &root) == 0);
    setfsuid(0);
    TRY(setfsuid(-1) == 0);
}
