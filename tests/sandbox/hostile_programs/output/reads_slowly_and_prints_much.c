// verdict: exited 0
// stdin_kib: 256
// limits: output=1048576
// printed: [input\n]+
// Both pipes fill up: whoever first writes all input and then reads the output waits for ever.
#include "got.h"

int main(void)
{
    char part[100];
    for (size_t length; (length = fread(part, 1, sizeof part, stdin)) == sizeof part;)
        printf("%.100s\n", part), fflush(stdout);
}
