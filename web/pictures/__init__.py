"""Pictures of numbers: functions that turn plain data into SVG.

uPlot and Chart.js draw on a canvas, which has no links, offers nothing to screen readers, and prints as pixels.
Observable Plot brings D3, and inline styles that the content security policy forbids. Each of them is a script that
every reader must load before anything appears. SVG written by the server has a few hundred elements, works without
scripts, prints sharply and takes its colours from the style sheet. The scales and ticks that a library would provide
take thirty lines of code.
"""
