// verdict: survives
// kept: link folder/shadow hard
// keeps:
#include "files/links_out.c"
