// verdict: exited 0
// printed: (?!.*(QUADRILLE|DATABASE|REDIS|PASSWORD|SECRET|TOKEN|HOST|USER))(?s:[A-Z_]+=[^\n]*\n)*
#include "got.h"

extern char **environ;

int main(void)
{
    for (char **one = environ; *one; one++)
        puts(*one);
}
