"""The tables of bench/peers and what they say of its targets, from {system: {kind: [figures of each
round]}}. Ratios are medians of the rounds' own ratios, for what is compared was then measured
within minutes.
"""
import statistics

SLUICE, GRAPHILE, REDIS, FLOOR = "Sluice", "graphile-worker", "BullMQ on Redis", "floor"
SHARES = ((0.5, "p50"), (0.99, "p99"), (0.999, "p99.9"))
KEEPS_UP_SHARE = 0.99  # of what was offered, stored in time
WORKERS = {1: "drain", 2: "2 workers", 4: "4 workers"}  # the kinds
SUMMARY_RATE = 2_000  # of the open loop, in the table of README.md

# The targets.
CPU_OF_BEST_PEER_MAX = 0.65
DRAIN_MIN = {GRAPHILE: 1.4, REDIS: 2.0}
PICKUP_OF_FLOOR_MAX = 1.25


def cell(values, form="{:,.0f}"):
    """Median and range; a single value alone."""
    text = form.format(statistics.median(values))
    return text if len(values) == 1 else (f"{text} ({form.format(min(values))} to "
        f"{form.format(max(values))})")


class Results:
    def __init__(self, results):
        self.results = results
        self.systems = [name for name in results if name != FLOOR]
        self.peers = [name for name in self.systems if name != SLUICE]

    def has(self, kind, *names):
        return all(kind in self.results.get(name, {}) for name in names)

    def values(self, name, kind, key):
        return [each[key] for each in self.results[name][kind]]

    def median(self, name, kind, key):
        return statistics.median(self.values(name, kind, key))

    def cell(self, name, kind, key, form="{:,.0f}"):
        return cell(self.values(name, kind, key), form) if self.has(kind, name) else ""

    def ratios(self, kind, key, name, other, other_key=None):
        return [mine / theirs for mine, theirs in zip(self.values(name, kind, key),
                self.values(other, kind, other_key or key))]

    def best(self, names, kind, key):
        return min(names, key=lambda name: self.median(name, kind, key), default=None)

    def drain_floors(self):
        """One call of the mock and a task of the bare queue, one after the other: they share the
        cores, so their times add."""
        return [1 / (1 / each["http"] + 1 / each["rate"]) for each in self.results[FLOOR]["drain"]]

    def keeps_up(self, name, kind):
        return self.median(name, kind, "in time") >= KEEPS_UP_SHARE

    def held(self, name):
        """Medians, for there may be fewer rounds beside a held snapshot."""
        if not self.has("held snapshot", name):
            return ""
        held, alone = self.median(name, "held snapshot", "rate"), self.median(name, "drain", "rate")
        return f"x {held / alone:.2f}"


def open_loop(rate):
    return f"open loop {rate:,}/s"


def drain_table(report, found):
    floors = found.drain_floors()
    def of_floor(name):
        rates = found.values(name, "drain", "rate")
        return f"{statistics.median(rate / floor for rate, floor in zip(rates, floors)):.2f}"

    rows = [[name, found.cell(name, "drain", "rate"), of_floor(name),
        found.cell(name, "drain", "us", "{:,.1f}"),
        *(f"{found.median(name, 'drain', key):,.1f}" for key in ("worker us", "database us")),
        f"{found.median(name, 'drain', 'log'):,.0f}", f"{found.median(name, 'drain', 'rss'):,.0f}",
        found.held(name)] for name in found.systems]
    rows.append([FLOOR, cell(floors), "1.00", found.cell(FLOOR, "drain", "us", "{:,.1f}"), "",
        f"{found.median(FLOOR, 'drain', 'us'):,.1f}", "", "", ""])
    report.table(["drain, one worker", "tasks/s", "/ floor", "CPU us a task", "of the worker",
            "of the database", "WAL or AOF bytes", "worker's peak RSS MB",
            "beside a held snapshot"], rows)


def workers_table(report, found):
    """Beside the bare queue in SQL at as many sessions, without HTTP."""
    kinds = [kind for kind in WORKERS.values() if found.has(kind, FLOOR)]
    triple = lambda name, kind: [found.cell(name, kind, "rate"),
        f"{statistics.median(found.ratios(kind, 'rate', name, FLOOR)):.2f}",
        f"{found.median(name, kind, 'us'):,.1f}"]
    own = lambda kind: [found.cell(FLOOR, kind, "own"),
        f"{statistics.median(found.ratios(kind, 'own', FLOOR, FLOOR, 'rate')):.2f}",
        f"{found.median(FLOOR, kind, 'own us'):,.1f}"]
    header = [text for n, kind in WORKERS.items() if kind in kinds
        for text in (f"{n} worker{'s' * (n > 1)}, tasks/s",
            f"/ in SQL, {n} session{'s' * (n > 1)}", "CPU us a task")]
    report.table(["workers", *header],
        [[name, *(text for kind in kinds for text in triple(name, kind))] for name in found.systems]
        + [["Sluice's functions, in SQL alone", *(text for kind in kinds for text in own(kind))],
            ["plain tables, in SQL alone",
                *(text for kind in kinds for text in triple(FLOOR, kind))]])


def in_time(found, name, kind):
    behind = "" if found.keeps_up(name, kind) else ": does not keep up"
    return f"{found.median(name, kind, 'in time'):.1%}{behind}"


def open_loop_table(report, found, rates):
    latencies = (("arrival", "p50"), ("arrival", "p99"), ("stored", "p50"),
        ("stored", "p99"), ("stored", "p99.9"))
    rows = []
    for rate in rates:
        for name in found.systems:
            kind = open_loop(rate)
            rows.append([f"{rate:,}/s, {name}", in_time(found, name, kind),
                    found.cell(name, kind, "us"),
                    *(found.cell(name, kind, f"{what} {label}", "{:,.1f}")
                        for what, label in latencies)])
    report.table(["open loop", "stored in time", "CPU us a task",
        *(f"{what} {label} ms" for what, label in latencies)], rows)


def idle_table(report, found):
    latencies = [(what, label) for what in ("pickup", "stored") for _, label in SHARES]
    rows = [[name,
        *(found.cell(name, "idle", f"{what} {label}", "{:,.2f}") for what, label in latencies),
        found.cell(name, "idle", "us")] for name in [*found.systems, FLOOR]]
    report.table(["idle", *(f"{what} {label} ms" for what, label in latencies), "CPU us a task"],
        rows)


def submits_table(report, found):
    def share(name, kind, key):
        median = statistics.median(found.values(name, kind, key))
        return f"{median / found.median(FLOOR, 'submits', key):.2f}"

    rows = [[name, found.cell(name, "submits", "rate"), share(name, "submits", "rate"),
            found.cell(name, "submits", "us"), found.results[name]["submits"][0]["by"],
            found.cell(name, "drain", "bulk"), share(name, "drain", "bulk"),
            found.cell(name, "drain", "bulk us")] for name in found.systems]
    rows.append([FLOOR, found.cell(FLOOR, "submits", "rate"), "1.00",
            found.cell(FLOOR, "submits", "us"), "pgbench", found.cell(FLOOR, "submits", "bulk"),
            "1.00", found.cell(FLOOR, "submits", "bulk us")])
    report.table(["submits", "one-row, 32 clients, /s", "/ floor", "database CPU us", "by",
            "bulk, one client, tasks/s", "/ floor", "database CPU us"], rows)


def bounded(text, value, bound, at_most):
    """A target as a sentence. What is judged is what is shown: two decimals."""
    value = round(value, 2)
    held = value <= bound if at_most else value >= bound
    return held, (f"{text}: {value:.2f}, {'at most' if at_most else 'at least'} {bound:.2f}: "
                  f"{'met' if held else f'missed by {abs(value - bound):.2f}'}")


def below(text, mine_ms, best_ms, peer):
    mine_ms, best_ms = round(mine_ms, 2), round(best_ms, 2)
    held = mine_ms < best_ms
    return held, f"{text}: {mine_ms:,.2f} ms, the best of them ({peer}) {best_ms:,.2f} ms: " + (
        "met" if held else f"missed by {mine_ms - best_ms:,.2f} ms"
        if mine_ms > best_ms else "missed: equal")


def of_drain(found):
    if found.has("drain", SLUICE) and found.peers:
        peer = found.best(found.peers, "drain", "us")
        yield bounded(f"worker + database CPU of a drained task / the best peer's ({peer})",
                      statistics.median(found.ratios("drain", "us", SLUICE, peer)),
                      CPU_OF_BEST_PEER_MAX, at_most=True)
    for peer, least in DRAIN_MIN.items():
        if found.has("drain", SLUICE, peer):
            yield bounded(f"drain / {peer}",
                statistics.median(found.ratios("drain", "rate", SLUICE, peer)),
                least, at_most=False)


def of_idle(found):
    peers = [name for name in found.peers if name != REDIS]
    for label in ("p50", "p99"):
        if found.has("idle", SLUICE, FLOOR):
            yield bounded(f"idle pickup {label} / floor",
                statistics.median(found.ratios("idle", f"pickup {label}", SLUICE, FLOOR)),
                PICKUP_OF_FLOOR_MAX, at_most=True)
        if found.has("idle", SLUICE) and peers:
            peer = found.best(peers, "idle", f"pickup {label}")
            yield below(f"idle pickup {label} below every peer's on PostgreSQL",
                found.median(SLUICE, "idle", f"pickup {label}"),
                found.median(peer, "idle", f"pickup {label}"), peer)


def of_open_loop(found, rates):
    for rate in rates:
        kind = open_loop(rate)
        if not found.has(kind, SLUICE) or not found.peers:
            continue
        text = f"p99 to the stored result at {rate:,}/s below every peer's"
        peer = found.best([name for name in found.peers if found.keeps_up(name, kind)],
            kind, "stored p99")
        if not found.keeps_up(SLUICE, kind):
            yield False, (f"{text}: Sluice does not keep up, "
                          f"{found.median(SLUICE, kind, 'in time'):.1%} stored in time: missed")
        elif peer is None:
            yield True, (f"{text}: {found.median(SLUICE, kind, 'stored p99'):,.2f} ms, "
                "and no peer keeps up: met")
        else:
            yield below(text, found.median(SLUICE, kind, "stored p99"),
                found.median(peer, kind, "stored p99"), peer)


def targets(results, rates):
    """[(whether it was met, the sentence)]; of what was measured only."""
    found = Results(results)
    return [*of_drain(found), *of_idle(found), *of_open_loop(found, rates)]


def sizes(options, results):
    """What this run was, in a sentence or two: not every kind was measured in every round if time
    ran out."""
    rounds = {}
    for kinds in results.values():
        for kind, figures in kinds.items():
            rounds[kind] = len(figures)
    most = max(rounds.values())
    text = (f"A drain has {options.tasks:,} tasks; open loop and submits last {options.seconds} s "
            "each. Figures are " + (f"medians of {most} rounds" if most > 1 else "of one round"))
    for n in sorted(set(rounds.values()) - {most}, reverse=True):
        text += (f"; of {n}, because the time was up: "
                 f"{', '.join(kind for kind, count in rounds.items() if count == n)}")
    return text + (". A quick run, not a record" if options.quick else "")


def tell(report, results, rates, sizes_text):
    found = Results(results)
    for table in (drain_table, workers_table):
        table(report, found)
    open_loop_table(report, found, rates)
    idle_table(report, found)
    submits_table(report, found)
    report.say("- floor of a drain: plain tables in SQL alone "
               f"{found.median(FLOOR, 'drain', 'rate'):,.0f}/s, wrk on the mock alone "
               f"{found.median(FLOOR, 'drain', 'http'):,.0f}/s, one after the other")
    report.say(f"- {sizes_text}")
    report.say()
    verdicts = targets(results, rates)
    report.say(f"Targets, {sum(held for held, _ in verdicts)} of {len(verdicts)} met:")
    report.say()
    for _, text in verdicts:
        report.say(f"- {text}")
    report.say()


def summarize(report, results, rates, sizes_text):
    """The table of README.md."""
    found = Results(results)
    kind = open_loop(SUMMARY_RATE)
    stored = lambda name: (f"{found.median(name, kind, 'stored p99'):,.0f}"
        if found.keeps_up(name, kind) else "does not keep up")
    idle = lambda name: " / ".join(f"{found.median(name, 'idle', f'pickup {label}'):.1f}"
        for label in ("p50", "p99"))
    floors = found.drain_floors()
    rows = [[name, f"{found.median(name, 'drain', 'rate'):,.0f}",
        f"{found.median(name, 'drain', 'us'):,.0f}", idle(name), stored(name), found.held(name)]
        for name in found.systems]
    rows.append([FLOOR, f"{statistics.median(floors):,.0f}",
        f"{found.median(FLOOR, 'drain', 'us'):,.0f}", idle(FLOOR), "", ""])
    report.table(["system", "tasks/s", "CPU us a task", "idle pickup p50 / p99 ms",
        f"p99 stored at {SUMMARY_RATE:,}/s, ms", "beside a held snapshot"], rows)
    verdicts = targets(results, rates)
    text = (f"{sizes_text}. Of {len(verdicts)} targets "
            f"{sum(held for held, _ in verdicts)} were met: "
            "[bench/](bench/README.md#peers-what-users-would-pick-instead).")
    report.say(text)
    report.say()
