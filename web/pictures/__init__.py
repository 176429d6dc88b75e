"""Pictures of numbers: functions that turn plain data into SVG.

uPlot and Chart.js draw on a canvas, which has no links, cannot be read by screen readers, and prints as pixels.
Observable Plot needs D3, and inline styles that the content security policy forbids. Each is a script that every reader
must load before anything appears. SVG written by the server has a few hundred elements, works without scripts, prints
sharply and takes its colours from the style sheet. The scales and ticks that a library would provide take thirty lines
of code.
"""
