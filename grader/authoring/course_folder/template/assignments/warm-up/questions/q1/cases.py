def cases(rng):
    """Yield the arguments of each hidden case. `rng` is a random.Random with a fixed seed."""
    yield ("",)
    for length in range(1, 60):
        yield ("".join(rng.choice("aeiouAEIOUbcdfxyzBCDFXYZ 1.") for _ in range(length)),)
