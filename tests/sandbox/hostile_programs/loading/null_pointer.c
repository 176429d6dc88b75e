// verdict: signalled 11
#include "got.h"

int main(void) { *(volatile int *)NULL = 1; }
