"""The figures of the tables, with their targets."""

from .report import table, verdict


def marks(found):
    """All targets with their figures and verdicts."""
    rows = []

    def mark(what, bar, shown, value, at_most):
        rows.append((what, f"{'≤' if at_most else '≥'} {bar:,}", shown, verdict(value, bar, at_most)))

    rate = found["list/32"]["per_second"]
    mark("list of 50 rows with a filter, 32 connections, a second", 4_000, f"{rate:,.0f}", rate, False)
    mark("the same, with the project's own row writer", 10_000, f"{rate:,.0f}", rate, False)
    rate = found["insert/32"]["per_second"]
    mark("durable inserts of 32 users, a second", 5_000, f"{rate:,.0f}", rate, False)
    for key, words in (("time", "a page behind a time"), ("id", "a page behind an id")):
        ratio = found[f"many/{key}"]["p50_us"] / found[f"few/{key}"]["p50_us"]
        mark(f"{words}: p50 with 1,000,000 rows compared with 1,000", 1.25, f"{ratio:.2f}", ratio, True)
    cost = found["verify"]["cpu_us"]
    mark("verifying a cached token, µs of processor time", 5, f"{cost:.1f}", cost, True)
    return rows


def ratios(found):
    """The rates compared with the best of the machine."""
    def part(name, floor):
        return f"{found[name]['per_second'] / found[floor]['per_second']:.2f}"

    return [
        ("list, 1 connection compared with a bare Hummingbird's `ok`", part("list/1", "bare/1")),
        ("list, 32 connections compared with a bare Hummingbird's `ok`", part("list/32", "bare/32")),
        ("inserts one after the other compared with records appended with a wait for each", part("insert/1", "sync/1")),
        ("inserts of 32 users compared with records appended with a wait for each", part("insert/32", "sync/1")),
        ("inserts of 32 users compared with records appended with a wait for each 32", part("insert/32", "sync/32")),
        ("inserts of 32 users compared with a bare Hummingbird's `ok`", part("insert/32", "bare/32")),
    ]


NAMES = {
    "bare": "bare Hummingbird, `ok`", "list": "**list** of 50 rows with a filter", "insert": "**insert**, durable",
    "sync": "append, records a wait", "few": "**page** of 1,000 rows, behind", "many": "**page** of 1,000,000 rows, behind",
}


def page(result, arguments):
    """Returns all figures as Markdown."""
    found = result["medians"]
    head = (
        f"{result['cores']} cores, Linux {result['kernel']}; {result['linkage']}; load average "
        f"{' '.join(result['load_before'])} before and {' '.join(result['load_after'])} after; {arguments.rounds} rounds of "
        f"{arguments.seconds:g} s, medians over rounds; a list has {result['list_bytes']:,} bytes."
    )
    parts = [head, table(("what", "target", "measured", ""), marks(found))]
    parts.append(table(("ratio in the same rounds", ""), ratios(found)))
    rows = []
    for key, one in found.items():
        name, _, with_what = key.partition("/")
        if name not in NAMES:
            continue
        if "p50_us" in one:
            times = (f"{one['p50_us']:,.0f}", f"{one['best_p50_us']:,.0f}", f"{one['p99_us']:,.0f}")
        else:
            times = ("", "", "")
        rows.append((NAMES[name], with_what, f"{one['per_second']:,.0f}", f"{one['best_per_second']:,.0f}", *times))
    parts.append(table(("what", "connections", "a second", "best", "p50 µs", "best p50", "p99 µs"), rows))
    rows = [
        (words, f"{found[name]['cpu_us']:.1f}")
        for name, words in (
            ("list/32", "a list, 32 connections"), ("insert/32", "an insert, 32 connections"),
            ("token", "an unknown address, with a cached token"),
            ("none", "the same with as many ignored bytes"),
        )
    ]
    parts.append(table(("processor time of tasksd", "µs a request"), rows))
    return "\n\n".join(parts)
