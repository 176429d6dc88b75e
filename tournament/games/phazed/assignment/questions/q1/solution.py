from game.groups import group_types as phazed_group_type
