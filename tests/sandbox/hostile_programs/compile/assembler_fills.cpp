// verdict: exited or cpu or memory
// limits: cpu_s=0.2
// builds: no
__asm__(".data\n.fill 0x7fffffff, 8, 1\n.text");

int main() { return 0; }
