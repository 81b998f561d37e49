"""The look of the plots: SVG with real text, transparent, in tones that are legible on a white and
on a dark page."""
import contextlib

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot

GREY = "#7d8590"
COLORS = ["#e5534b", "#2f81f7", "#2da44e", "#bf8700", "#a371f7"]

# A fixed salt and no date: the same figures give the same file.
matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "sluice", "font.family": "sans-serif",
    "font.size": 13, "lines.linewidth": 2,
    "axes.prop_cycle": matplotlib.cycler(color=COLORS), "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True,
    "grid.color": GREY, "grid.alpha": 0.25, "axes.edgecolor": GREY, "axes.labelcolor": GREY,
    "text.color": GREY, "xtick.color": GREY,
    "ytick.color": GREY, "legend.frameon": False, "path.simplify": True,
    "path.simplify_threshold": 0.3})


@contextlib.contextmanager
def figure(path, x_label, y_label):
    """Axes to draw on; written to `path` at the end."""
    canvas, axes = matplotlib.pyplot.subplots(figsize=(9, 4), layout="constrained")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    yield axes
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    canvas.savefig(path, transparent=True, metadata={"Date": None})
    matplotlib.pyplot.close(canvas)


def limit(axes, height, text):
    """A dashed line that nothing should cross."""
    axes.axhline(height, color=GREY, linestyle="--", linewidth=1.5)
    axes.annotate(text, (1, height), xycoords=("axes fraction", "data"), xytext=(0, 4),
        textcoords="offset points", ha="right")
