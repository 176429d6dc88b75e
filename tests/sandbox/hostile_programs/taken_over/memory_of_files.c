// verdict: survives or memory or cpu
// printed: (nothing\n)?
// limits: memory=134217728 scratch=16777216 processes=20
// Files and shared pages that no process has mapped any more.
#include "memory/files_in_memory.c"
