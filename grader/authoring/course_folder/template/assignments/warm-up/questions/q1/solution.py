def count_vowels(text):
    return sum(letter in "aeiou" for letter in text.lower())
