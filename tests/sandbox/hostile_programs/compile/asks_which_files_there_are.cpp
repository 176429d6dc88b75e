// verdict: exited 0
// builds: yes
// Whether a file exists is a secret as well.
#if __has_include("/tmp/quadrille-hostile/secret") || __has_include("/dev/shm/quadrille-hostile")
#error LEAK
#endif
#if __has_include("/etc/shadow") || __has_include("/root/.bashrc") || __has_include("/var/run/docker.sock")
#error LEAK
#endif

int main() { return 0; }
