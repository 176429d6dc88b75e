// verdict: exited 0
// printed: (?s)(?!.*LEAK).*
// There is no shell; and if there were one, it would be in the same jail.
#include "got.h"

int main(void) { return system("echo LE''AK") == 0; }
