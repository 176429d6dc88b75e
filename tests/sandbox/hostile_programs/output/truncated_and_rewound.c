// verdict: exited 0
// printed: kept\n
// What has been printed cannot be taken back, nor printed at the end of a hole.
#include "got.h"

int main(void)
{
    if (write(1, "kept\n", 5) != 5)
        return 1;
    lseek(1, 0, SEEK_SET);
    if (ftruncate(1, 0) == 0 || ftruncate(1, 1L << 40) == 0 || pwrite(1, "LEAK", 4, 0) >= 0 || pwrite(1, "LEAK", 4, 1L << 40) >= 0)
        return 2;
    return 0;
}
