"""A simulated deadline night: a class uses a running installation, and what it experiences is measured and judged.

`night` sends `student`s, each with a `browser` of its own, and `meter` watches the server's processes meanwhile.
`audit` asks the API afterwards what became of every upload, `turns` works out whose turn it was when,
and `verdict` judges.
"""
