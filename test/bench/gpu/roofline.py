"""The roofline picture: every kernel by its arithmetic intensity and its rate, under the device's roofs, as SVG.

The roofs are measured by the rows peak_copy, peak_f32 and matmul_8192_f16 in the same run. Work and bytes of a kernel are
those that the compiler counted. Kernels that do hardly any arithmetic stand at the left edge, at their bandwidth. Left out
are kernels that take less than a twentieth of their row's time.
"""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 1200, 760, 80, 60, 30, 60
LABELLED = 16  # of the slowest kernels
CHARACTER = 6.2  # the width of one in a label
SHARE = 0.05  # of a row's time, from which a kernel is shown
LEAST = 0.03  # flops a byte, at the left edge
DECADES = 6  # of rates, below the highest


def roofs(results):
    """Bytes a second, and the roofs of arithmetic by name: flops a second. None where a row is missing."""
    by_name = {r["work"]: r for r in results if "us" in r}
    copy, chain, product = (by_name.get(n) for n in ("peak_copy", "peak_f32", "matmul_8192_f16"))
    flat = {}
    if chain:
        flat["f32 multiply-add"] = chain["counted_flops"] / chain["us"] * 1e6
    if product:
        flat["f16 product"] = product["flops"] / product["us"] * 1e6
    return copy and copy["bytes"] / copy["us"] * 1e6, flat


def points(results):
    """Kernels as dicts, the slowest first."""
    found = []
    for result in results:
        total = sum(k["us"] for k in result.get("kernel_times", []))
        for k in result.get("kernel_times", []):
            if k["us"] > SHARE * total and k["moved"] > 0:
                found.append(dict(k, work=result["work"]))
    return sorted(found, key=lambda k: -k["us"])


class Axes:
    """Logarithmic, over whole decades."""

    def __init__(self, kernels, bandwidth, flat):
        high = max([k["flops"] / k["moved"] for k in kernels] + [100] + [rate / bandwidth for rate in flat.values()])
        self.x0, self.x1 = math.log10(LEAST), math.ceil(math.log10(high))
        rates = [k["flops"] / k["us"] * 1e6 for k in kernels]
        self.y1 = math.ceil(math.log10(max(rates + list(flat.values()) + [bandwidth])))
        self.y0 = self.y1 - DECADES

    def x(self, intensity):
        return LEFT + (math.log10(intensity) - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, rate):
        return HEIGHT - BOTTOM - (math.log10(rate) - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)

    def place(self, kernel):
        """Where it stands; below the lowest rate, on the lower edge."""
        intensity = max(kernel["flops"] / kernel["moved"], LEAST)
        rate = intensity * kernel["moved"] / kernel["us"] * 1e6
        return self.x(intensity), self.y(max(rate, 10.0**self.y0))


def rate_text(rate, unit):
    return "%.3g T%s" % (rate / 1e12, unit) if rate >= 1e12 else "%.3g G%s" % (rate / 1e9, unit)


def text(x, y, words, attributes=""):
    return '<text x="%.1f" y="%.1f" %s>%s</text>' % (x, y, attributes, escape(words))


def grid(axes):
    out = []
    for e in range(math.ceil(axes.x0), math.floor(axes.x1) + 1):
        x = axes.x(10.0**e)
        out.append('<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>' % (x, TOP, x, HEIGHT - BOTTOM))
        out.append(text(x, HEIGHT - BOTTOM + 18, "%g" % 10.0**e, 'text-anchor="middle"'))
    for e in range(axes.y0, axes.y1 + 1):
        y = axes.y(10.0**e)
        out.append('<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>' % (LEFT, y, WIDTH - RIGHT, y))
        out.append(text(LEFT - 8, y + 4, "%g" % 10.0 ** (e - 9), 'text-anchor="end"'))
    out.append(text((LEFT + WIDTH) / 2, HEIGHT - 14, "flops for each byte moved", 'text-anchor="middle"'))
    out.append(text(-(TOP + HEIGHT) / 2, 20, "GFLOP/s", 'text-anchor="middle" transform="rotate(-90)"'))
    return out


def roof_lines(axes, bandwidth, flat):
    """The slope of the memory up to the highest roof, and the others from the slope on."""
    highest = max(list(flat.values()) + [10.0**axes.y1 / 2])
    start, end = max(10**axes.x0, 10.0**axes.y0 / bandwidth), min(highest / bandwidth, 10**axes.x1)
    line = '<line class="roof" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>'
    out = [line % (axes.x(start), axes.y(start * bandwidth), axes.x(end), axes.y(end * bandwidth))]
    out.append(text(LEFT + 10, axes.y(start * bandwidth) - 30, "memory " + rate_text(bandwidth, "B/s"), 'class="name"'))
    for name, rate in flat.items():
        corner = axes.x(rate / bandwidth)
        out.append(line % (corner, axes.y(rate), WIDTH - RIGHT, axes.y(rate)))
        out.append(text(WIDTH - RIGHT - 4, axes.y(rate) - 6, name + " " + rate_text(rate, "FLOP/s"), 'class="name" text-anchor="end"'))
    return out


def label_lines(axes, kernels):
    """Names beside their points, moved down until they are clear of those before."""
    out, taken = [], []
    for k in kernels[:LABELLED]:
        x, y = axes.place(k)
        words = "%s %s, %.0f us" % (k["work"], k["name"], k["us"])
        width = len(words) * CHARACTER
        left = x + 9 if x + 9 + width < WIDTH else x - 9 - width
        top = y + 4
        while any(left < b + c and b < left + width and abs(top - t) < 12 for b, t, c in taken):
            top += 12
        taken.append((left, top, width))
        if top - y > 8:
            out.append('<line class="lead" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (x, y, left + (width if left < x else 0), top - 4))
        out.append(text(left, top, words, 'class="label"'))
    return out


STYLE = (
    "text{font:12px sans-serif;fill:#333}.label{font-size:11px}.name{font-weight:bold;fill:#a33}.grid{stroke:#e4e4e4}"
    ".roof{stroke:#a33;stroke-width:2}.lead{stroke:#999;stroke-width:.6}circle{fill:#2a6fb0;fill-opacity:.55;stroke:#123}"
    ".none{fill:none}"
)


def draw(results, title):
    """The picture, or None without the row that measures the memory."""
    bandwidth, flat = roofs(results)
    kernels = points(results)
    if not bandwidth or not kernels:
        return None
    axes = Axes(kernels, bandwidth, flat)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">' % ((WIDTH, HEIGHT) * 2)]
    out.append("<style>%s</style>" % STYLE)
    out.append('<rect width="%d" height="%d" fill="#fff"/>' % (WIDTH, HEIGHT))
    out.append(text(LEFT, 24, title, 'style="font-size:16px"'))
    words = "Kernels with 5 %% of their row's time or more; area by the time in a call, names of the %d slowest. "
    out.append(text(LEFT, 44, words % LABELLED + "Rings: hardly any arithmetic, at their bandwidth."))
    out += grid(axes) + roof_lines(axes, bandwidth, flat)
    slowest = kernels[0]["us"]
    for k in reversed(kernels):
        x, y = axes.place(k)
        radius = 2 + 10 * math.sqrt(k["us"] / slowest)
        shape = '<circle%s cx="%.1f" cy="%.1f" r="%.1f"><title>%s</title></circle>'
        words = "%s %s: %s, %.1f us, %.0f GB/s, %.0f GFLOP/s" % (
            k["work"], k["name"], k["label"], k["us"], k["moved"] / k["us"] / 1e3, k["flops"] / k["us"] / 1e3)
        out.append(shape % ("" if k["flops"] > LEAST * k["moved"] else ' class="none"', x, y, radius, escape(words)))
    out += label_lines(axes, kernels)
    return "\n".join(out + ["</svg>", ""])
