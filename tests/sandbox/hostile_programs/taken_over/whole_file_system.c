// verdict: survives
// limits: cpu_s=20 wall_s=60
// A compiler sees its headers and libraries; no marker may be there.
#include "reading/whole_file_system.c"
