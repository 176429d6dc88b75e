// verdict: survives or signalled 9
#include "processes/kill_everything.c"
