// verdict: exited 0
// builds: yes
// file: mine.h = inline int mine() { return 0; }
// file: mine.h.gch = not a precompiled header
// A precompiled header would be loaded as it is into the compiler's memory.
#include "mine.h"

int main() { return mine(); }
