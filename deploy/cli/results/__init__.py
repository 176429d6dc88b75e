"""Commands for results that count: finals, signed records, regrades and standings."""
