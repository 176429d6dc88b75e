"""House bots, weak to strong. Each file stands alone and defines one class, as a student's would."""
