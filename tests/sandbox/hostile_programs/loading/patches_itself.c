// verdict: exited 0
// printed: 7 8\n
// only: x86_64
// Code that changes itself is allowed, and gains nothing.
#include "got.h"

int main(void)
{
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, (unsigned char[]){0xb8, 7, 0, 0, 0, 0xc3}, 6);  // mov $7, %eax; ret
    int first = ((int (*)(void))code)();
    code[1] = 8;
    printf("%d %d\n", first, ((int (*)(void))code)());
}
