# verdict: memory or exited 1
# limits: memory=67108864
held = []
while True:
    held.append(bytearray(1 << 20))
