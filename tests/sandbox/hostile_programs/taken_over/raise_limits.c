// verdict: survives
#include "calls/raise_limits.c"
