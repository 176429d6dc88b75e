// verdict: exited 0 or exited 1
#pragma GCC pch_preprocess "/tmp/quadrille-hostile/secret"

int main() { return 0; }
