// verdict: exited 1 or exited 0
// each: /tmp/quadrille-hostile/secret /etc/shadow /etc/passwd /proc/self/environ /proc/1/environ /proc/self/cmdline
// The assembler shows each line that it does not understand.
__asm__(".data\n.include \"" EACH "\"\n.text");

int main() { return 0; }
