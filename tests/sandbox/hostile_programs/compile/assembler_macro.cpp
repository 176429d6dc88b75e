// verdict: exited 1 or cpu or memory
// limits: cpu_s=0.2
// builds: no
__asm__(".macro again\nagain\nagain\n.endm\nagain");

int main() { return 0; }
