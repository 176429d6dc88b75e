// verdict: blocked
// each: 1/1 2/1 2/3 16/3 17/3 38/5
#include "calls/sockets.c"
