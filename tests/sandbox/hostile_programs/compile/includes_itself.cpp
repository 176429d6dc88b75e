// verdict: exited 1
// limits: errors=4000000
// said: nested depth
#include __FILE__

int main() { return 0; }
