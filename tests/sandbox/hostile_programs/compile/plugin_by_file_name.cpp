// verdict: exited 0
// builds: yes
// file: -fplugin=evil.so = not a library
// file: evil.so = not a library
// file: @response = -fplugin=./evil.so
// file: -wrapper = x
// file: specs = *cc1plus: evil
// Files beside the source are no options; nor are they if they are named with their folder before them.

int main() { return 0; }
