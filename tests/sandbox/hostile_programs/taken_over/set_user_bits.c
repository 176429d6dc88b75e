// verdict: survives
#include "files/set_user_bits.c"
