// verdict: exited 0
// stdin: well\n
// printed: well\n
// It attacks nobody. The suite runs it after attacks, in the same jail.
#include "got.h"

int main(void)
{
    char line[100];
    return fgets(line, sizeof line, stdin) ? fputs(line, stdout) < 0 : 1;
}
