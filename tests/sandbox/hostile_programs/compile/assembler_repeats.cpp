// verdict: exited or cpu or memory
// limits: cpu_s=0.2
// builds: no
__asm__(".data\n.rept 1000000000\n.quad 1\n.endr\n.text");

int main() { return 0; }
