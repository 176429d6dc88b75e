// verdict: survives
// printed: nothing\n
// What a constructor opens before main is refused like everything else.
#include "got.h"

static struct First {
    First()
    {
        TRY(fork() >= 0);
        TRY(open("/tmp/quadrille-hostile/secret", O_RDONLY) >= 0);
        TRY(open("/tmp/quadrille-hostile-written", O_WRONLY | O_CREAT, 0666) >= 0);
        setenv("LD_PRELOAD", "./evil.so", 1);
    }
} first;

int main()
{
    if (!leaks)
        puts("nothing");
}
