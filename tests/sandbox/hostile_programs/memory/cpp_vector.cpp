// verdict: memory
// limits: memory=67108864
// What beginners write; std::bad_alloc must not look like a crash of another kind.
#include <iostream>
#include <vector>

int main()
{
    std::vector<int> numbers;
    while (numbers.size() < 1 << 28)
        numbers.push_back(1);
    std::cout << "LEAK\n";
}
