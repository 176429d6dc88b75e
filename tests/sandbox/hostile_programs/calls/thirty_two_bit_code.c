// verdict: blocked
// only: x86_64
// It jumps into 32-bit code, and makes the call from there: exit, with 42.
#include "got.h"

int main(void)
{
    unsigned char code[] = {0xb8, 1, 0, 0, 0, 0xbb, 42, 0, 0, 0, 0xcd, 0x80};  // mov $1, %eax; mov $42, %ebx; int $0x80
    unsigned char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (low == MAP_FAILED)
        return 1;
    memcpy(low, code, sizeof code);
    struct __attribute__((packed)) { uint32_t at; uint16_t segment; } far = {(uint32_t)(uintptr_t)low, 0x23};
    char *stack = (char *)low + 4000;
    __asm__ volatile("mov %0, %%rsp; lcall *(%1)" : : "r"(stack), "r"(&far) : "memory");
    puts("LEAK it came back");
}
