// verdict: blocked
// only: x86_64
// The instructions are in no file: whoever looks for them in the program finds nothing.
#include "got.h"

int main(void)
{
    unsigned char code[] = {0xb8, 101, 0, 0, 0, 0x0e + 1, 0x04 + 1, 0xc3};  // mov $101, %eax; syscall; ret
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    ((void (*)(void))page)();
    puts("LEAK it came back");
}
