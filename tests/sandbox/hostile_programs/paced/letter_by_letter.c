// verdict: exited 0
// paced: yes
// stdin: one\ntwo\n
// printed: (.)+\n
// starved: yes
// Each read takes one letter, and something is printed between any two.
#include "got.h"

int main(void)
{
    char letter;
    while (read(0, &letter, 1) == 1)
        if (write(1, ".", 1) != 1)
            return 1;
    puts("");
}
