// verdict: exited 0 or exited 1 or memory
// limits: scratch=67108864
// Below the limit of files while it is one object, above it as both an object and a program.
__asm__(".data\n.fill 6000000, 8, 1\n.text");

int main() { return 0; }
