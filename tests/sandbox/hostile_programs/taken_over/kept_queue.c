// verdict: survives
// kept: queue socket folder
// keeps:
#include "files/kept_queue.c"
