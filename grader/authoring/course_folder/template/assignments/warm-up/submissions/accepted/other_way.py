# expect: q1=all q2=all
from math import fsum


def count_vowels(text):
    return sum(text.count(letter) for letter in "aeiouAEIOU")


def mean(numbers):
    if not numbers:
        return None
    return fsum(numbers) / len(numbers)
