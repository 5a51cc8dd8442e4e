"""Reads series as JSON from standard input, and writes the indices of Apache Otava's change points.

The argument is the smallest change that counts. All else is as Otava has it.
"""
import json
import sys

from otava.analysis import compute_change_points

least = float(sys.argv[1])
found = [[int(point.index) for point in compute_change_points(series, min_magnitude=least)[0]] for series in json.load(sys.stdin)]
json.dump(found, sys.stdout)
