# verdict: RTE
# message: KeyError on line 4: "'2C'"
cards = {}
cards['2C']
