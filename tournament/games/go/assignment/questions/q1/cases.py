from game.table_cases import table_cases as cases
