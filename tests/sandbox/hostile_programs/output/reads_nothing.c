// verdict: exited 0
// stdin_kib: 4096
// printed: done\n
// Input that nobody takes must not keep anybody waiting.
#include "got.h"

int main(void)
{
    puts("done");
}
