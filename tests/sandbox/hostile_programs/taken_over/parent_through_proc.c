// verdict: survives
#include "reading/parent_through_proc.c"
