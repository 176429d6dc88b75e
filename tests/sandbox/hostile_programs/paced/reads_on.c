// verdict: cpu
// limits: cpu_s=0.1
// paced: yes
// stdin: one\n
// starved: yes
// It does not believe that the input has ended.
#include "got.h"

int main(void)
{
    char letter;
    for (;;)
        if (read(0, &letter, 1) < 0)
            return 1;
}
