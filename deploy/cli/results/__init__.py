"""Commands for what counts: finals, signed records, regrades and standings."""
