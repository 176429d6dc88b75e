"""Commands for players' files, house bots and games: no installation is needed."""
