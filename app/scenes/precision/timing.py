"""The middle of the Precision scene when it measures: a picture of times, and the table behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, Range1d

from app.benchmark import words
from app.benchmark.backends import SHADERS
from app.benchmark.loop import LARGEST, ROW
from app.benchmark.result import Measured
from app.strings import say
from app.views.controls import boxed, put
from app.views.figures import Figure
from app.views.prose import Prose
from app.wire import put_columns, put_values

if TYPE_CHECKING:
    from app.scenes.precision.scene import PrecisionScene

DRAWN = {"copy": "ink-3", "softmax": "ink", "layer": "ln", "rms": "rms"}
DASHES = {"numpy": "solid", "webgpu": "dashed"}
SIZES = [2**exponent for exponent in range(ROW.bit_length() - 1, LARGEST + 1)]
NANOSECONDS = 1e9
EMPTY = (0.1, 1000.0)  # the range in ns before anything is measured
SHADED = tuple(SHADERS)
BOOKS = {"textbook_layer": "layer", "textbook_rms": "rms"}


class Timing:
    """The stage of the views "time" and "table"."""

    def __init__(self, scene: PrecisionScene) -> None:
        """Make the views."""
        self.scene = scene
        self.lead, self.remarks = Prose(), Prose()
        self.table = Prose(region=say("precision_view_table"))
        self.make_figure()
        self.title = Prose()
        self.picture = boxed(self.title)
        self.picture.append(self.figure.pane())
        self.behind = boxed(self.table)

    def make_figure(self) -> None:
        """A line a kernel and backend."""
        self.lines = {
            f"{backend}_{kernel}": (colour, dash)
            for backend, dash in DASHES.items()
            for kernel, colour in DRAWN.items()
        }
        self.source = ColumnDataSource({name: [] for name in ("size", *self.lines)})
        self.y = Range1d(*EMPTY)
        self.figure = Figure(
            height=300,
            x_range=(SIZES[0] * 0.8, SIZES[-1] * 1.25),
            y_range=self.y,
            x_axis_type="log",
            y_axis_type="log",
            x_axis_label=say("precision_size_axis"),
            y_axis_label=say("precision_time_axis"),
        )
        plot = self.figure.plot
        plot.min_border_right = 12  # the last label's half
        plot.xaxis.ticker = FixedTicker(ticks=SIZES[::3])
        plot.xaxis.major_label_overrides = {size: words.power(size) for size in SIZES}
        for name, (colour, dash) in self.lines.items():
            self.figure.line(self.source, "size", name, colour, line_width=2, line_dash=dash)
            dots = plot.scatter("size", name, source=self.source, size=4)
            self.figure.token(dots.glyph, line_color=colour, fill_color=colour)

    def stage(self) -> list[Any]:
        """From top to bottom."""
        return [self.lead, self.picture, self.behind, self.remarks]

    def show(self, measured: list[Measured]) -> None:
        """What is measured so far."""
        view = self.scene.store["precision_view"]
        put(self.picture, visible=view == "time")
        put(self.behind, visible=view == "table")
        self.title.put(html=plot_title(self.scene.bench.row))
        sub = "<br>".join(words.why(measured))
        self.lead.put(html=f"<p class='lead'>{words.lead(measured)}</p><p class='sub'>{sub}</p>")
        told = words.missing(measured)
        if view == "time":
            told += [*words.faster(measured), *words.held(measured)]
        self.remarks.put(html=f"<p class='hint under'>{' '.join(told)}</p>" if told else "")
        if view == "table":
            self.table.put(html=table_html(measured, self.scene.bench.row))
        columns = {name: column(measured, *name.split("_", 1)) for name in self.lines}
        put_columns(self.source, size=np.array([float(one.size) for one in measured]), **columns)
        low, high = span(list(columns.values()))
        if (self.y.start, self.y.end) != (low, high):
            put_values(self.y, start=low, end=high)


def column(measured: list[Measured], backend: str, kernel: str) -> np.ndarray:
    """Nanoseconds a value at each size, NaN where it was not measured."""
    seconds = [one.seconds.get(backend, {}).get(kernel, np.nan) for one in measured]
    sizes = [one.size for one in measured]
    return np.array(seconds, np.float64) / np.array(sizes, np.float64) * NANOSECONDS


def span(columns: list[np.ndarray]) -> tuple[float, float]:
    """Whole powers of ten around all numbers."""
    values = np.concatenate(columns)
    values = values[np.isfinite(values)]
    if not values.size:
        return EMPTY
    low, high = np.floor(np.log10(values.min())), np.ceil(np.log10(values.max()))
    return float(10.0**low), float(10.0 ** max(high, low + 1))


def plot_title(row: int) -> str:
    """The plot's title, and which line is which."""
    colours = "".join(
        f"<span data-colour='{colour}'><i></i>{say(f'precision_{kernel}')}</span>"
        for kernel, colour in DRAWN.items()
    )
    dashes = "".join(
        f"<span class='key-{dash}' data-colour='ink-2'><i></i>{say(f'precision_{backend}')}</span>"
        for backend, dash in DASHES.items()
    )
    title = say("precision_plot", row=row)
    return f"<p class='figure'>{title}</p><p class='figure keys'>{colours}{dashes}</p>"


def table_html(measured: list[Measured], row: int) -> str:
    """A line a size; two columns a kernel that both backends have."""
    title = words.table_title(row)
    top = "".join(
        f"<th scope='colgroup' colspan='2'>{say(f'precision_{kernel}')}</th>" for kernel in SHADED
    )
    books = f"<th scope='colgroup' colspan='{len(BOOKS)}'>{say('precision_book_pair')}</th>"
    both = "".join(f"<th scope='col'>{say(f'precision_{key}')}</th>" for key in DASHES)
    each = "".join(
        f"<th scope='col'>{say(f'precision_{kernel}')}</th>" for kernel in BOOKS.values()
    )
    size_head = f"<th scope='col' rowspan='2'>{say('precision_size_axis')}</th>"
    body = "".join(table_line(one) for one in measured)
    return (
        f"<table class='numbers'><caption>{title}</caption><thead>"
        f"<tr>{size_head}{top}{books}</tr><tr>{both * len(SHADED)}{each}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def table_line(one: Measured) -> str:
    """One size; the faster of two times is bold."""
    cells = []
    for kernel in SHADED:
        times = {key: one.seconds.get(key, {}).get(kernel) for key in DASHES}
        known = [time for time in times.values() if time is not None]
        for time in times.values():
            fastest = len(known) > 1 and time == min(known)
            cells.append(cell(time, fastest=fastest))
    numpy = one.seconds.get("numpy", {})
    cells += [cell(numpy.get(kernel)) for kernel in BOOKS]
    return f"<tr><th scope='row'>{words.power(one.size)}</th>{''.join(cells)}</tr>"


def cell(seconds: float | None, *, fastest: bool = False) -> str:
    """A time in ms, or a dash."""
    text = "–" if seconds is None else words.milliseconds(seconds)
    return f"<td>{f'<b>{text}</b>' if fastest else text}</td>"
