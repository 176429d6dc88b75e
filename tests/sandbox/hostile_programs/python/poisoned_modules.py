# verdict: exited 0
# printed: nothing\n
# file: sitecustomize.py = print("LEAK sitecustomize")
# file: usercustomize.py = print("LEAK usercustomize")
# file: encodings/__init__.py = print("LEAK encodings")
# What lies beside a program may be imported by it, but must not be by the interpreter before it starts.
print("nothing")
