// verdict: exited 0 or exited 1
// each: /proc/self/environ /proc/self/cmdline /proc/self/maps /etc/passwd
// No marker may be in the program.
__asm__(".data\n.incbin \"" EACH "\"\n.text");

int main() { return 0; }
