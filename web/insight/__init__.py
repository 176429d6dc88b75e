"""Pictures of a class and an assignment, for its staff, and the lists behind them."""
