// verdict: exited or signalled
// printed: 
// The file names a loader that is not there. That it cannot start is the student's affair, not an internal error.
__asm__(".section .interp, \"a\"\n.string \"./no-such-loader\"\n.text");

int main(void) { return 0; }
