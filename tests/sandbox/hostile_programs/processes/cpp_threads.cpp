// verdict: signalled 6
// An honest mistake, which has to look like one: std::thread throws what nobody catches.
#include <iostream>
#include <thread>

int main()
{
    std::thread other([] { std::cout << "LEAK\n"; });
    other.join();
}
