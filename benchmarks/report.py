"""The table and the web page of compare.py."""

import html

COLORS = {"redbarn": "#8c2f1b", "redbarn-nokeys": "#c46a4f", "duckdb": "#c9a400", "hyper": "#2a6f97", "datafusion": "#4f772d", "chdb": "#7d5ba6"}


def best(record):
    return min(record["hot_ms"]) if record["hot_ms"] else None


def text_table(report):
    engines = report["engines"]
    names = list(engines)
    ratios = report["ratios"]
    queries = list(next(iter(engines.values()))["queries"]) if engines else []
    lines = [["query"] + [f"{name} ms" for name in names] + list(ratios)]
    for query in queries:
        line = [query]
        for name in names:
            record = engines[name]["queries"][query]
            value = best(record)
            line.append("failed" if "error" in record else "-" if value is None else f"{value:.2f}")
        line += [f"{ratios[name]['queries'][query]:.3f}" if query in ratios[name]["queries"] else "-" for name in ratios]
        lines.append(line)
    blank = [""] * len(names)
    lines.append(["geometric mean"] + blank + [f"{ratios[name]['geometric_mean']:.3f}" for name in ratios])
    lines.append(["worst"] + blank + [f"{ratios[name]['worst']:.3f}" for name in ratios])
    totals = [[best(record) for record in engines[name]["queries"].values()] for name in names]
    lines.append(
        ["total ms"] + [f"{sum(value for value in values if value is not None):.1f}" for values in totals]
        + [f"{ratios[name]['total']:.3f}" for name in ratios])
    for title, key, scale, ratio in (
        ("load s", "load_seconds", 1, "load"), ("disk MB", "disk_bytes", 1e6, "disk"),
        ("peak memory MB", "peak_rss_bytes", 1e6, "memory"),
    ):
        lines.append(
            [title] + [f"{engines[name][key] / scale:.1f}" for name in names]
            + [f"{ratios[name][ratio]:.3f}" if ratio in ratios[name] else "-" for name in ratios])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    rows = ["  ".join(cell.rjust(width) if index else cell.ljust(width)
                      for index, (cell, width) in enumerate(zip(line, widths))) for line in lines]
    failures = [f"{name} {query}: {record['error']}" for name in names
                for query, record in engines[name]["queries"].items() if "error" in record]
    counts = [f"row counts differ in {query}: " + ", ".join(
        f"{name} {engines[name]['queries'][query]['rows']}" for name in names)
        for query in queries
        if len({engines[name]["queries"][query]["rows"] for name in names
                if "error" not in engines[name]["queries"][query]}) > 1]
    versions = ", ".join(f"{name} {engines[name]['version']}" for name in names)
    return "\n".join(
        [f"TPC-H scale {report['scale']}, {report['threads']} threads, hot minimum of {report['runs']}; {versions}"]
        + rows + failures + counts + [report["note"]])


def bars(title, items, unit):
    """A horizontal bar chart; items are (label, value, color)."""
    longest = max((value for _, value, _ in items), default=1) or 1
    parts = [f"<h2>{html.escape(title)}</h2><svg width='760' height='{len(items) * 20}' role='img'>"]
    for index, (label, value, color) in enumerate(items):
        y = index * 20
        width = value / longest * 480
        parts.append(
            f"<text x='0' y='{y + 14}'>{html.escape(label)}</text>"
            f"<rect x='150' y='{y + 2}' width='{width:.1f}' height='15' fill='{color}'/>"
            f"<text x='{156 + width:.1f}' y='{y + 14}'>{value:.3g} {unit}</text>")
    return "".join(parts) + "</svg>"


def html_report(report):
    engines, ratios = report["engines"], report["ratios"]
    charts = []
    for name, record in ratios.items():
        items = [(query, value, "#8c2f1b" if value <= 1 else "#b8b8b8") for query, value in record["queries"].items()]
        items.append(("geometric mean", record["geometric_mean"], "#222"))
        charts.append(bars(f"Time of {name}, hot (below 1: Redbarn is faster)", items, ""))
    for title, key, scale, unit in (
        ("Load time", "load_seconds", 1, "s"), ("Size on disk", "disk_bytes", 1e6, "MB"),
        ("Peak memory over the queries", "peak_rss_bytes", 1e6, "MB"),
    ):
        charts.append(bars(
            title, [(name, record[key] / scale, COLORS.get(name, "#888")) for name, record in engines.items()], unit))
    versions = ", ".join(f"{name} {record['version']}" for name, record in engines.items())
    machine = report["machine"]
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Redbarn and its peers, TPC-H scale {report['scale']}</title>
<style>body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
svg text {{ font: 12px system-ui, sans-serif }} pre {{ overflow-x: auto; font-size: 12px }}</style></head><body>
<h1>Redbarn and its peers, TPC-H scale {report['scale']}</h1>
<p>{html.escape(report['note'])}. {report['date']}. {html.escape(machine['processor'])}, {report['threads']} threads,
{html.escape(machine['system'])}. Hot minimum of {report['runs']} interleaved runs, results fetched.
{html.escape(versions)}.</p>
{''.join(charts)}
<h2>Figures</h2><pre>{html.escape(text_table(report))}</pre></body></html>
"""
