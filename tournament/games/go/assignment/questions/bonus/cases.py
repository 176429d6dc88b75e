from game.group_cases import partition_cases as cases
