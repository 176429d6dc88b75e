// verdict: exited 0
// builds: yes
// file: evil.so = not a library
#pragma GCC optimize("-fplugin=./evil.so")
#pragma GCC optimize("fplugin=./evil.so", "fdump-tree-all=/tmp/quadrille-hostile-written")
#pragma GCC plugin "./evil.so"

int main() { return 0; }
