// verdict: survives
// kept: one two folder/secret folder/three up/secret
// keeps:
#include "files/kept_link.c"
