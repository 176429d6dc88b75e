"""Games that a person plays by hand against house bots; they never count."""
