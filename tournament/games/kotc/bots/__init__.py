"""House bots, from weak to strong. Each file is complete in itself and defines one class, as a student's does."""
