"""Which options a question may add to a compiler's command: those that say how a program is compiled, and none that
names a file, loads code into the compiler or starts other programs."""

from typing import Final

from sandbox import patterns

_CODE: Final = (
    *("exceptions", "rtti", "strict-aliasing", "inline", "builtin", "fast-math", "wrapv", "trapv", "permissive"),
    *("omit-frame-pointer", "signed-char", "unsigned-char", "short-enums", "common", "openmp-simd", "concepts"),
    *("char8_t", "coroutines", "modules-ts", "unroll-loops", "elide-constructors", "threadsafe-statics"),
)
_ALLOWED: Final = patterns.compile(
    r"-std=[a-z0-9+:]{1,20}|-pedantic(-errors)?|-ansi|-w|-pthread|-O[0-3sg]?|-Ofast|-g[0-3]?"
    r"|-W[a-z0-9+-]*(=[a-z0-9-]{1,40})?"
    r"|-[DU][A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_+.\"-]*)?"
    rf"|-f(no-)?({'|'.join(map(patterns.escape, _CODE))})|-fmax-errors=[0-9]{{1,3}}|-ftemplate-depth=[0-9]{{1,4}}"
    r"|-fconstexpr-(depth|loop-limit|ops-limit)=[0-9]{1,9}"
    r"|-l(m|pthread|rt|stdc\+\+fs)"
    r"|-I[A-Za-z0-9_][A-Za-z0-9_./-]*|-I\."
)


def refused(options: tuple[str, ...], compiled: bool) -> str:
    """Why the options cannot be used, as a sentence; "" if they can."""
    if options and not compiled:
        return "options are for a compiler, and a program in this language is not compiled."
    wrong = next(
        (each for each in options if not _ALLOWED.fullmatch(each) or (each.startswith("-I") and ".." in each)), None
    )
    if wrong is None:
        return ""
    return (
        f"the compiler option {wrong!r} is not allowed. Options may choose the standard (-std=), warnings (-W), "
        "optimization (-O), definitions (-D), folders of the program's own (-I) and libraries (-lm, -pthread)."
    )
