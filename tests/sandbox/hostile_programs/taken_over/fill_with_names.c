// verdict: survives
// limits: files=100
#include "files/fill_with_names.c"
