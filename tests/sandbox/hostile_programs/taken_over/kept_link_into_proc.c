// verdict: survives
// kept: environ maps zero root/etc/shadow
// keeps:
#include "files/kept_link_into_proc.c"
