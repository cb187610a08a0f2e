"""Pictures of the three results, as SVG without any library: a table of shades, bars, and lines over a year."""
import datetime
from xml.sax.saxutils import escape

INK, QUIET, BLUE, RED, GREEN = "#222", "#888", "#2f6db5", "#b5482f", "#3c8c4a"


def page(width, height, title, body):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        text(16, 24, title, size=15), *body, "</svg>", ""])


def text(x, y, words, anchor="start", size=11, fill=INK):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{fill}">{escape(str(words))}</text>'


def box(x, y, width, height, fill):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'


def line(points, color, width=1.5):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def shade(share):
    """From white to blue."""
    mixed = [round(255 + (end - 255) * share) for end in (0x2F, 0x6D, 0xB5)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def cohorts(rows):
    """Retention by cohort and months since the first order."""
    values = {(row[0], int(row[2])): float(row[5]) for row in rows[1:]}
    sizes = {row[0]: row[3] for row in rows[1:] if row[2] == "0"}
    months = sorted(sizes)
    widest = max(offset for _, offset in values)
    cell, height, left, top = 38, 22, 150, 62
    body = [text(left - 8, top - 8, "first month (customers)", "end", fill=QUIET)]
    body += [text(left + (n + 0.5) * cell, top - 8, f"+{n}", "middle", fill=QUIET) for n in range(widest + 1)]
    for index, month in enumerate(months):
        y = top + index * height
        body.append(text(left - 8, y + 15, f"{month[:7]} ({sizes[month]})", "end"))
        for offset in range(widest + 1):
            value = values.get((month, offset))
            if value is None:
                continue
            share = min(value / 100, 1)
            body.append(box(left + offset * cell, y, cell - 1, height - 1, shade(share)))
            fill = "white" if share > 0.55 else INK
            body.append(text(left + (offset + 0.5) * cell, y + 15, f"{value:.0f}%", "middle", fill=fill))
    return page(left + (widest + 1) * cell + 16, top + len(months) * height + 16,
                "Customers who order again, by the month of their first order", body)


def affinity(rows):
    """Pairs by how often they are in one order."""
    pairs = [(f"{row[0]} + {row[1]}", int(row[2]), row[3]) for row in rows[1:]]
    most, left, top, height, width = max(count for _, count, _ in pairs), 220, 44, 20, 420
    body = []
    for index, (name, count, support) in enumerate(pairs):
        y = top + index * height
        length = width * count / most
        body += [text(left - 8, y + 14, name, "end"), box(left, y + 2, length, height - 4, BLUE),
                 text(left + length + 6, y + 14, f"{count}  ({support} % of orders)", fill=QUIET)]
    return page(left + width + 150, top + len(pairs) * height + 16, "Products bought together", body)


def series(rows):
    """Revenue a day and its moving averages."""
    days = [datetime.date.fromisoformat(row[0]) for row in rows[1:]]
    columns = [([float(row[index]) for row in rows[1:]], color, name) for index, color, name in
               ((1, "#c9d6e6", "revenue of the day"), (5, BLUE, "average of 7 days"), (6, RED, "average of 30 days"))]
    left, top, width, height = 60, 62, 780, 260
    highest = max(columns[0][0]) * 1.05
    x = lambda index: left + width * index / (len(days) - 1)
    y = lambda value: top + height * (1 - value / highest)
    body = []
    step = 10 ** (len(str(int(highest))) - 1)
    for value in range(0, int(highest) + 1, step):
        body += [line([(left, y(value)), (left + width, y(value))], "#eee", 1),
                 text(left - 6, y(value) + 4, f"{value:,}", "end", fill=QUIET)]
    for index, day in enumerate(days):
        if day.day == 1:
            body.append(text(x(index), top + height + 18, day.strftime("%b %y"), "middle", fill=QUIET))
    for place, (values, color, name) in enumerate(columns):
        body.append(line([(x(i), y(value)) for i, value in enumerate(values)], color, 1 if place == 0 else 2))
        body += [box(left + place * 170, 38, 14, 4, color), text(left + place * 170 + 20, 44, name)]
    return page(left + width + 24, top + height + 34, "Revenue a day", body)
