// verdict: survives
#include "calls/undo_by_prctl.c"
