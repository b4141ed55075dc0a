"""Percentile plots as SVG, written by hand: no library is wanted for a dozen lines on a grid."""
import math
import xml.sax.saxutils

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 40, 50
COLOURS = ("#1f6f8b", "#c8553d", "#e0a030", "#7a7a7a", "#6a4c93")
NINES = ((0, "0 %"), (50, "50 %"), (90, "90 %"), (99, "99 %"), (99.9, "99.9 %"), (99.99, "99.99 %"))
LAST_PERCENT = 99.99


def _x(percent):
    """Every further nine takes as much room as the one before."""
    share = -math.log10(1 - min(percent, LAST_PERCENT) / 100) / 4
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _time(us):
    if us < 1000:
        return f"{us:g} us"
    return f"{us / 1000:g} ms" if us < 1e6 else f"{us / 1e6:g} s"


class _LogAxis:
    def __init__(self, values):
        self.low = math.floor(math.log10(max(1, min(values))))
        self.high = max(self.low + 1, math.ceil(math.log10(max(values))))

    def y(self, us):
        share = (math.log10(max(us, 10 ** self.low)) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def ticks(self):
        return [10 ** power for power in range(self.low, self.high + 1)]


def percentile_plot(title, curves):
    """`curves`: name -> [[percent, us], ...] as `hayward load --json` gives them. Latency over percentile, both by powers
    of ten. The document as text."""
    curves = {name: [(p, us) for p, us in curve if p <= LAST_PERCENT and us > 0] for name, curve in curves.items()}
    curves = {name: curve for name, curve in curves.items() if curve}
    axis = _LogAxis([us for curve in curves.values() for _, us in curve])
    escape = xml.sax.saxutils.escape
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="{LEFT}" y="22" font-size="15">{escape(title)}</text>']
    for us in axis.ticks():
        y = axis.y(us)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_time(us)}</text>')
    for percent, label in NINES:
        x = _x(percent)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>'
                   f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{label}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 12}" text-anchor="middle">of the requests took '
               f'at most so long, from their intended send time</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{_x(p):.1f},{axis.y(us):.1f}" for p, us in curve)
        y = TOP + 14 + 20 * number
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
                   f'<line x1="{WIDTH - RIGHT + 10}" y1="{y - 4}" x2="{WIDTH - RIGHT + 30}" y2="{y - 4}" stroke="{colour}" '
                   f'stroke-width="2"/><text x="{WIDTH - RIGHT + 36}" y="{y}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>", ""])
