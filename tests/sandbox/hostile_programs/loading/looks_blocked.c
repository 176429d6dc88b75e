// verdict: signalled 31 or blocked
#include "got.h"

int main(void) { raise(SIGSYS); }
