"""A deadline night: a class works on a running installation, and what it met with is measured and judged.

`night` sends `student`s, each with a `browser` of its own, and `meter` watches the server's processes meanwhile.
`audit` asks the API afterwards what became of every upload, `turns` reckons whose turn it was when, `verdict` judges.
"""
