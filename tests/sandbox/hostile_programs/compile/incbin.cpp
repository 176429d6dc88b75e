// verdict: exited 1
// builds: no
// each: /tmp/quadrille-hostile/secret /etc/shadow /dev/shm/quadrille-hostile /proc/1/environ /dev/zero
// The content of a file becomes part of the program, which prints it.
__asm__(".data\n.incbin \"" EACH "\"\n.text");

int main() { return 0; }
