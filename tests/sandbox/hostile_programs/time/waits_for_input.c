// verdict: exited 0
// printed: end of input\n
// starved: yes
#include "got.h"

int main(void)
{
    int letter = getchar();
    puts(letter == EOF ? "end of input" : "LEAK input");
}
