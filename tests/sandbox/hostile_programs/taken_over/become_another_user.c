// verdict: survives
#include "calls/become_another_user.c"
