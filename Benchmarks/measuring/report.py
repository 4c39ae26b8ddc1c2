"""The figures as tables, with their targets."""

import sys

MISSED = "**missed**"


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(head, rows):
    return "\n".join([row(*head), row(*["---"] * len(head)), *[row(*cells) for cells in rows]])


def ours_and_floor(result):
    """The figures by server and number of clients, from the peer's run if there is one: `{(name, clients): figures}`."""
    if "peer" not in result:
        return {tuple(key.split("/")): value for key, value in result["own"].items()}
    found = {}
    for key, value in result["peer"]["ipc"].items():
        name, clients = key.removesuffix(" clients").rsplit(" / ", 1)
        found[(name, clients)] = {**value, "per_second": value["rps"], "best_per_second": value["best_rps"]}
    return found


PEER = "oidc-agent raw JSON IPC"


def verdict(value, bar, at_most=True):
    met = value <= bar if at_most else value >= bar
    return "met" if met else MISSED


def tell(page, short=False):
    """Prints all figures, and then exits with 1 if a target was missed. A short round has no targets."""
    print(page, flush=True)
    if missed := not short and page.count(MISSED):
        sys.exit(f"{missed} target{'s were' if missed > 1 else ' was'} missed")


def marks(result):
    """All targets that the run can evaluate."""
    found, rows = ours_and_floor(result), []

    def ratio(what, value, against, bar, at_most=True, digits=2):
        relation = "≤" if at_most else "≥"
        part = value / against
        rows.append((what, f"{relation} {bar}", f"{part:.{digits}f}", verdict(part, bar, at_most)))

    one, floor = found[("tokenbroker", "1")], found[("floor", "1")]
    many, floors = found[("tokenbroker", "32")], found[("floor", "32")]
    ratio("1 client: p50 compared with the keep-alive C floor", one["p50_us"], floor["p50_us"], 1.6)
    if (PEER, "1") in found:
        peer, peers = found[(PEER, "1")], found[(PEER, "32")]
        ratio("1 client: p50 compared with oidc-agent's raw socket", one["p50_us"], peer["p50_us"], 1)
        ratio("32 clients: replies a second compared with oidc-agent's raw socket", many["per_second"], peers["per_second"], 4, False)
        ratio("32 clients: p99 compared with oidc-agent", many["p99_us"], peers["p99_us"], 0.5, digits=3)
    ratio("32 clients: replies a second compared with the floor", many["per_second"], floors["per_second"], 0.3, False)
    idle = result["memory_idle"]["Anonymous"]
    rows.append(("anonymous memory, idle with 1 account", "≤ 10 MiB", f"{idle / 1024:.1f} MiB", verdict(idle, 10240)))
    if result.get("memory_asked"):
        count = result["memory_growing"][-1]["accounts"]
        more = (result["memory_asked"]["Anonymous"] - result["memory_after_load"]["Anonymous"]) / (count - 1)
        what = f"anonymous memory, each additional account ({count} accounts, with one request for the token of each)"
        rows.append((what, "≤ 4 KiB", f"{more:.2f} KiB", verdict(more, 4)))
    start = result["start_ms"]
    bare = start["bare Hummingbird over HTTP"]
    ratio("start to first response compared with a bare Hummingbird", start["tokenbrokerd over HTTP"]["p50"], bare["p50"], 1.5)
    if "peer" in result:
        whole = result["peer"]["cli_ms"]
        ratio("`tokenbroker token`, whole process, compared with `oidc-token`: p50", whole["tokenbroker"]["p50"], whole["oidc-token acct1"]["p50"], 2)
        ratio("the same, fastest", whole["tokenbroker"]["min"], whole["oidc-token acct1"]["min"], 2)
    return rows


def page(result, arguments):
    """Returns all figures as Markdown."""
    found = ours_and_floor(result)
    head = (
        f"{result['cores']} cores, Linux {result['kernel']}; {result['linkage']}; load average "
        f"{' '.join(result['load_before'])} before and {' '.join(result['load_after'])} after; {arguments.rounds} rounds of "
        f"{arguments.seconds:g} s, medians over rounds; one keep-alive connection per client unless stated otherwise; "
        f"replies of {result['reply_bytes']} bytes, also from the floor."
    )
    parts = [head, table(("what", "target", "measured", ""), marks(result))]
    rows = [
        (
            name, clients, f"{one['per_second']:,.0f}", f"{one['p50_us']:.1f}", f"{one['best_p50_us']:.1f}",
            f"{one['p99_us']:.0f}", f"{one['max_us']:.0f}",
        )
        for (name, clients), one in sorted(found.items(), key=lambda item: (int(item[0][1]), item[0][0]))
    ]
    parts.append(table(("server", "clients", "replies/s", "p50 µs", "best p50", "p99 µs", "max µs"), rows))
    rows = [(name, f"{one['p50']:.1f}", f"{one['min']:.1f}") for name, one in result["start_ms"].items()]
    rows.append(("tokenbrokerd on an empty state directory, at the socket", f"{result['first_start_ms']['socket']:.1f}", ""))
    parts.append(table(("start to first response", "p50 ms", "min ms"), rows))
    whole = result["peer"]["cli_ms"] if "peer" in result else result["whole"]
    rows = [(name, f"{one['p50']:.2f}", f"{one['min']:.2f}") for name, one in whole.items()]
    parts.append(table(("whole process", "p50 ms", "min ms"), rows))
    rows = [("idle, 1 account", result["memory_idle"]), ("after the load", result["memory_after_load"])]
    growing = result.get("memory_growing", [])
    for one in growing[::3] + growing[-1:] if len(growing) > 3 else growing:
        rows.append((f"while users sign up: {one['accounts']} accounts", one))
    if result.get("memory_asked"):
        rows.append(("started again with these accounts", result["memory_restarted"]))
        rows.append(("after one request for the token of each", result["memory_asked"]))
    rows = [(name, *(f"{one[kind] / 1024:.1f}" for kind in ("Anonymous", "Pss", "Rss"))) for name, one in rows]
    if "peer" in result:
        for key, value in result["peer"].items():
            if key.startswith("mem_"):
                rows.append((f"oidc-agent, {key[4:].replace('_', ' ')}", "", f"{value['pss_kb'] / 1024:.1f}", f"{value['rss_kb'] / 1024:.1f}"))
    parts.append(table(("memory, MiB", "anonymous", "Pss", "Rss"), rows))
    return "\n\n".join(parts)
