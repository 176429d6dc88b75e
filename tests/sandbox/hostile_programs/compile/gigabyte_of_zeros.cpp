// verdict: exited 0
// builds: yes
// It takes no room in the file; the run is limited.
char much[1 << 30];

int main() { return much[5]; }
