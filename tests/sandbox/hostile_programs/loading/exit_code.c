// verdict: exited 137
// 137 is what a shell shows for a killed process.
int main(void) { return 137; }
