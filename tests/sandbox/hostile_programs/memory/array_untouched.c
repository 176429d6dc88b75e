// verdict: survives or memory or signalled 11
// printed: (nothing\n)?
// limits: memory=67108864
// A gigabyte that is never used. Where only the address space can be limited, it may not even start.
#include "attack.h"

static volatile char array[1 << 30];

static void attack(void) { TRY(array[12345678]); }
