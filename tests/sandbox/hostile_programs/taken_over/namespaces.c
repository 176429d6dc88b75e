// verdict: survives or blocked
// printed: (nothing\n)?
#include "processes/namespaces.c"
