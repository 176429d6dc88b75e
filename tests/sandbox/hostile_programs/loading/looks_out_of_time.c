// verdict: signalled 24 or cpu
#include "got.h"

int main(void) { raise(SIGXCPU); }
