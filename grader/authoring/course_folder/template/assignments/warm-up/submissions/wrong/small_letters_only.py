# expect: q1=some q2=some
def count_vowels(text):
    return sum(letter in "aeiou" for letter in text)


def mean(numbers):
    return sum(numbers) / len(numbers)
