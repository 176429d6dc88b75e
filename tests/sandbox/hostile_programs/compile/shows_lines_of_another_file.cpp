// verdict: exited 1
// builds: no
// each: /tmp/quadrille-hostile/secret /etc/shadow /proc/1/environ
// The compiler opens the named file to show the line in which it thinks the mistake is.
int main() { return 0; }
#line 1 EACH
int wrong = ;
