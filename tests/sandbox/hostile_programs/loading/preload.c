// verdict: exited 0
// printed: loaded by nobody\n
// file: evil.so = not a library
// file: libc.so.6 = not a library
// file: ld.so.preload = ./evil.so
// Libraries that lie in the scratch folder are not those that a program gets.
#include "got.h"

int main(void)
{
    puts(getenv("LD_PRELOAD") || getenv("LD_LIBRARY_PATH") || getenv("LD_AUDIT") ? "LEAK" : "loaded by nobody");
}
