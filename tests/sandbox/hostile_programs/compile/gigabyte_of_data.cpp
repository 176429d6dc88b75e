// verdict: exited 1 or cpu or memory or signalled 25
// limits: cpu_s=0.5
// builds: no
char much[1 << 30] = {1};

int main() { return much[5]; }
