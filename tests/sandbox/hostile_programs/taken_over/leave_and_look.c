// verdict: survives
#include "traces/leave_and_look.c"
