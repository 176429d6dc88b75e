"""House bots, weak to strong. Each file stands alone, as a student's would."""
