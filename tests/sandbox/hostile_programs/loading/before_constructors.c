// verdict: blocked
#include "got.h"

static void first(void) { syscall(SYS_unshare, 0x10000000); }

__attribute__((section(".preinit_array"), used)) static void (*run)(void) = first;

int main(void) { puts("LEAK main"); }
