"""House bots, from weak to strong. Each file is complete in itself and uses the seed's function names, as a student's
does."""
