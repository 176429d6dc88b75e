def count_vowels(text):
    """How many of the letters in the text are a, e, i, o or u, in upper or lower case."""
    return 0


def mean(numbers):
    """The mean of the numbers; None if there are none."""
    return
