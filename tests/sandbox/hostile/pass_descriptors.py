# verdict: survives
# Whoever passes descriptors uses up what all jails of this user together may have under way. That the kernel refuses
# when it is used up is no protection: it is the harm.
import errno
import socket


def attack():
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=3)
    try:
        channel.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, b"\0\0\0\0")])
    except OSError as refusal:
        return "used up" if refusal.errno == errno.ETOOMANYREFS else None
    finally:
        channel.detach()
    return "sent"
