"""Program questions in a course folder: their files, their cases, and what is wrong with them.

The folder of a question, `questions/SLUG`, has `text.md`; `files`, which are handed out; `solution`; `cases/visible`
and `cases/hidden`; `submissions/VERDICT/NAME`; and, for a comparator of the author's own, `checker.py` or `validator`.
"""
