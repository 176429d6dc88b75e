# rest: MISSING
print("hello")
