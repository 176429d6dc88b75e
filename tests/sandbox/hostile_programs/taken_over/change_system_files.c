// verdict: survives
#include "files/change_system_files.c"
