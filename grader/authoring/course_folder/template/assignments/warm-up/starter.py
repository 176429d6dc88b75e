def count_vowels(text):
    """Return how many letters of the text are a, e, i, o or u, in upper or lower case."""
    return 0


def mean(numbers):
    """Return the mean of the numbers; None if the list is empty."""
    return
