"""Problem packages of Kattis and ICPC as questions that ask for a program. See docs/write-a-program-question.md."""
