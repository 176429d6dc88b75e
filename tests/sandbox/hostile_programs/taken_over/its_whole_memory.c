// verdict: survives
#include "reading/its_whole_memory.c"
