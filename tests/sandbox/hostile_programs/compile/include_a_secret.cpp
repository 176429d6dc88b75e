// verdict: exited 1
// builds: no
// each: /tmp/quadrille-hostile/secret /dev/shm/quadrille-hostile /var/tmp/quadrille-hostile ../../../../../../tmp/quadrille-hostile/secret /etc/shadow /root/.bashrc /proc/1/environ /proc/2/environ /proc/1/root/etc/passwd /dev/tty
// What the compiler does not understand, it shows.
#include EACH

int main() { return 0; }
