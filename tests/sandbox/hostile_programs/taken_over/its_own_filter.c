// verdict: survives
#include "calls/its_own_filter.c"
