# verdict: blocked
import socket

socket.create_connection(("127.0.0.1", 80), timeout=0.1)
print("LEAK")
