# verdict: survives
# The kernel numbers files in memory, sockets and their pages for all jails together. Who can read such a number learns
# how many others have made since, and who can make some sends a message.
import ctypes
import mmap
import os
import resource
import socket

SO_COOKIE, SO_PEERPIDFD = 57, 77
AT_EMPTY_PATH = 0x1000
libc = ctypes.CDLL(None)
room = ctypes.create_string_buffer(400)
channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=3)


def attack():
    return each([
        *(lambda number=number: os.fstat(number) for number in range(4)),
        *(lambda number=number: libc.statx(number, b"", AT_EMPTY_PATH, 0xFFF, room) == 0 or bad() for number in range(4)),
        *(lambda number=number: libc.fstatat(number, b"", room, AT_EMPTY_PATH) == 0 or bad() for number in range(4)),
        lambda: os.fstat(os.dup(1)), lambda: os.fstat(os.dup2(1, 9)),
        lambda: channel.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8),
        lambda: channel.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD, 4),
        lambda: channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12),
        lambda: mmap.mmap(-1, 4096), lambda: os.memfd_create("number"), lambda: resource.getrusage(0),
    ])


def bad():
    raise OSError
