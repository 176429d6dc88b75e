from game.groups import phase_types as phazed_phase_type
