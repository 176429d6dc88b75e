// verdict: exited 0
// builds: yes
// Code in a section that runs before main: no matter to the compiler; the jail of the run holds it.
__asm__(".section .init_array, \"aw\"\n.quad main\n.text");

int main() { return 0; }
