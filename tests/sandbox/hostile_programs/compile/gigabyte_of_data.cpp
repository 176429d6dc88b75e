// verdict: exited or cpu or memory
// limits: cpu_s=0.2
// builds: no
char much[1 << 30] = {1};

int main() { return much[5]; }
