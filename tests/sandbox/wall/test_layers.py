"""No layer is decoration: with it taken away, the named hostile players get what they came for.

Where two or three layers guard the same thing, all of them are taken away together: each alone still holds.
"""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.host.jail import LAYERS
from tests.sandbox.wall.suite import Case, Table, still_green

TURN_RED = [
    ("landlock", "list_folders read_the_guest"),
    ("rlimits", "eight_gibibytes growing_list deep_recursion_eats_memory sparse_mapping"),
    ("namespaces", "knows_no_process_above"),
    (
        "seccomp",
        """bpf change_files execve huge_pages io_uring keyctl kill_everything lock_shared_files memory_files mount
        open_by_handle_at pass_descriptors perf_event_open pidfd_getfd process_vm_readv ptrace raise_limits setns
        shared_memory socket_inet socket_netlink socket_unix timers unshare userfaultfd wakes_by_shared_pages
        watch_shared_files evicts_shared_files lowers_its_priority""",
    ),
    ("seccomp rlimits", "thread"),
    ("seccomp namespaces", "find_other_processes"),
    ("seccomp namespaces landlock", "kill_everything"),
]


@pytest.mark.full
@pytest.mark.parametrize(("removed", "names"), TURN_RED, ids=[removed for removed, _ in TURN_RED])
def test_without_a_layer_an_attack_works(removed: str, names: str) -> None:
    with BubblewrapSandbox() as whole:
        if "namespaces" in removed and not whole.jail.nested:
            pytest.skip("children have no namespaces of their own here")
    with BubblewrapSandbox(layers=LAYERS - set(removed.split())) as sandbox:
        assert still_green(sandbox, names) == []


@pytest.fixture
def host_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


CALLS_HOME = """
import socket
def attack():
    return socket.create_connection(("127.0.0.1", {port}), timeout=0.1)
"""

REACHED = [
    ("", "BLOCKED"),
    ("seccomp", "survives"),
    ("network", "BLOCKED"),
    ("seccomp network", "survives"),  # landlock still refuses connections
    ("seccomp landlock", "survives"),
    ("seccomp network landlock", "ILLEGAL"),
]


@pytest.mark.parametrize(("removed", "verdict"), REACHED)
def test_three_layers_keep_the_host_out_of_reach(host_port: int, removed: str, verdict: str) -> None:
    case = Case("calls_home", verdict, CALLS_HOME.format(port=host_port).encode())
    with BubblewrapSandbox(layers=LAYERS - set(removed.split())) as sandbox, closing(Table(sandbox)) as table:
        if sandbox.jail.landlock < 4:
            pytest.skip("this kernel's landlock knows no network")
        assert table.run(case.with_tail()).verdict == verdict
