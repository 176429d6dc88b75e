// verdict: exited 1
// said: nested depth
#include __FILE__

int main() { return 0; }
