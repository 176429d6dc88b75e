// verdict: survives
// limits: scratch=4194304 files=100
// What is attached to a file counts in no block of it.
#include "attack.h"
#include <sys/xattr.h>

static char value[60000];

static void attack(void)
{
    long all = 0;
    char name[20];
    for (int number = 0; number < 2000; number++) {
        snprintf(name, sizeof name, "user.%d", number);
        all += setxattr(".", name, value, sizeof value, 0) == 0 ? sizeof value : 0;
    }
    TRY(all > 4 << 20);
}
