// verdict: signalled 4
#include "got.h"

int main(void) { __builtin_trap(); }
