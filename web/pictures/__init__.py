"""Pictures of numbers: functions that make SVG of plain data.

uPlot and Chart.js draw on a canvas, which holds no links and nothing for a screen reader and prints as pixels, and
Observable Plot brings D3 and inline styles, which the content security policy forbids; each is a script that every
reader loads before anything is seen. SVG written by the server is a few hundred elements, works without scripts, prints
sharply and takes its colours from the style sheet, and what remains of a library, scales and ticks, is thirty lines.
"""
