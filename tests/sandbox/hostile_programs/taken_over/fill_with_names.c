// verdict: survives
// only: nested
// limits: files=100
#include "files/fill_with_names.c"
