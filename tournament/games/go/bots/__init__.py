"""House bots, weak to strong. Each file stands alone under the seed's function names, as a student's would."""
