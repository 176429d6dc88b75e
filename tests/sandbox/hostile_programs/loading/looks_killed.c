// verdict: signalled 9
// Whoever ends itself by the signal that limits use has not run into a limit.
#include "got.h"

int main(void)
{
    raise(SIGKILL);
    puts("LEAK");
}
