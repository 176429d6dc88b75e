// verdict: survives
#include "files/write_outside.c"
