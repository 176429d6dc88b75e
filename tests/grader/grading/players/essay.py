# rest: SYNTAX
My player plays very well. It wins most of its games.
