"""Execute a notebook, save its figures, and print what they and its cells say, as JSON.

Arguments are the notebook and the directory for the pictures, which is its working
directory, too.
"""
import json
import os
import sys

import nbformat
from nbclient import NotebookClient

LAST_CELL = """
import json
import matplotlib.pyplot as plt

figures = []
for n in plt.get_fignums():
    figure = plt.figure(n)
    figure.savefig(f"{n}.png", dpi=100)  # draws, so that ticks have their labels
    ax = figure.axes[0]
    labels = lambda ticks: [t.get_text() for t in ticks]
    legend = ax.get_legend()
    figures.append({
        "file": f"{n}.png", "title": ax.get_title(loc="left"), "texts": [t.get_text() for t in ax.texts],
        "x": ax.get_xlabel(), "y": ax.get_ylabel(), "x_ticks": labels(ax.get_xticklabels()), "y_ticks": labels(ax.get_yticklabels()),
        "widths": [float(p.get_width()) for p in ax.patches], "legend": labels(legend.get_texts()) if legend else [],
        "dashed": sorted(float(l.get_xdata()[0]) for l in ax.lines if l.get_linestyle() == "--"),
    })
print("FIGURES " + json.dumps(figures))
"""

notebook = nbformat.read(sys.argv[1], as_version=4)
notebook.cells.append(nbformat.v4.new_code_cell(LAST_CELL))
os.environ["MPLBACKEND"] = "agg"  # keeps figures until the last cell
NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()

lines = []
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        lines += output.get("text", "").splitlines() + output.get("data", {}).get("text/html", "").splitlines()
last = next(i for i, line in enumerate(lines) if line.startswith("FIGURES "))
print(json.dumps({"figures": json.loads(lines[last].removeprefix("FIGURES ")), "printed": lines[:last]}))
