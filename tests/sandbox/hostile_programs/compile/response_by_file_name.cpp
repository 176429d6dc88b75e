// verdict: exited 1
// said: @response|-fplugin
// file: @response.cpp = -fplugin=./evil.so
// file: -fplugin=evil.so.cpp = int other;
// argv: g++ -o program ./main.cpp ./@response.cpp ./-fplugin=evil.so.cpp

int main() { return 0; }
