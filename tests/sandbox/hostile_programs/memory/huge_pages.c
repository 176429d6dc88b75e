// verdict: survives
// A machine that reserves no huge pages refuses with ENOMEM: the filter must have refused before that.
#include "attack.h"

static void ask(int flags)
{
    errno = 0;
    TRY(mmap(NULL, 1 << 30, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0) != MAP_FAILED || errno != EPERM);
}

static void attack(void)
{
    const int sizes[] = {0, 21 << MAP_HUGE_SHIFT, 30 << MAP_HUGE_SHIFT};
    for (int size = 0; size < 3; size++) {
        ask(MAP_PRIVATE | MAP_ANONYMOUS | sizes[size]);
        ask(MAP_SHARED | MAP_ANONYMOUS | sizes[size]);
    }
}
