// verdict: survives
#include "processes/signals_by_other_calls.c"
