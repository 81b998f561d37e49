"""What bench/peers says of its targets is true of the figures that it is given."""
import importlib.util
import types

import pytest
from conftest import ROOT

pytestmark = pytest.mark.plain_build_only


def load_tables():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "bench" / "peers" / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tables = load_tables()
RATE = 1_000
KIND = tables.open_loop(RATE)


def system(cpu_us, drained, pickup_ms, stored_ms, in_time=1.0):
    """One round."""
    return {
        "drain": [{"us": cpu_us, "worker us": cpu_us / 2, "database us": cpu_us / 2,
                "rate": drained, "log": 1000, "rss": 20, "bulk": 20_000, "bulk us": 30}],
        "idle": [{f"{what} {label}": pickup_ms for what in ("pickup", "stored")
                for _, label in tables.SHARES} | {"us": 900}],
        "submits": [{"rate": 1_000, "us": 300, "by": "pgbench"}],
        KIND: [{f"{what} {label}": stored_ms for what in ("arrival", "stored")
                for _, label in tables.SHARES} | {"in time": in_time, "us": 200}]}


def results(**changed):
    found = {"Sluice": system(60, 9_000, 4.0, 10), "graphile-worker": system(100, 6_000, 5.0, 20),
        "BullMQ on Redis": system(200, 4_000, 2.0, 30),
        "floor": system(30, 20_000, 4.0, 1)} | changed
    found["floor"]["drain"][0] |= {"http": 40_000, "own": 10_000, "own us": 60}
    found["floor"]["submits"][0] |= {"bulk": 40_000, "bulk us": 20}
    return found


def sentences(found):
    return {text.partition(":")[0]: (held, text) for held, text in tables.targets(found, [RATE])}


def test_met_targets_say_so():
    said = sentences(results())
    assert all(held and text.endswith(": met") for held, text in said.values()), said
    assert len(said) == 8


@pytest.mark.parametrize("sluice, beginning, words", [
    (system(70, 9_000, 4.0, 10), "worker + database CPU of a drained task",
        "0.70, at most 0.65: missed by 0.05"),
    (system(60, 6_600, 4.0, 10), "drain / graphile-worker", "1.10, at least 1.40: missed by 0.30"),
    (system(60, 7_000, 4.0, 10), "drain / BullMQ on Redis", "1.75, at least 2.00: missed by 0.25"),
    (system(60, 9_000, 6.0, 10), "idle pickup p99 / floor", "1.50, at most 1.25: missed by 0.25"),
    (system(60, 9_000, 6.0, 10), "idle pickup p50 below",
        "6.00 ms, the best of them (graphile-worker) 5.00 ms: missed by 1.00 ms"),
    (system(60, 9_000, 5.0, 10), "idle pickup p50 below", "missed: equal"),
    (system(60, 9_000, 4.0, 21), "p99 to the stored result at 1,000/s",
        "21.00 ms, the best of them (graphile-worker) 20.00 ms: missed by 1.00 ms"),
    (system(60, 9_000, 4.0, 1, in_time=0.5), "p99 to the stored result at 1,000/s",
        "Sluice does not keep up, 50.0% stored in time: missed")])
def test_a_missed_target_says_by_how_much(sluice, beginning, words):
    [(held, text)] = [found for about, found in sentences(results(Sluice=sluice)).items()
        if about.startswith(beginning)]
    assert not held and text.endswith(words), text


def test_a_peer_that_does_not_keep_up_is_beaten_whatever_its_latency():
    behind = {name: system(100, 4_000, 5.0, 1, in_time=0.98)
        for name in ("graphile-worker", "BullMQ on Redis")}
    held, text = sentences(results(**behind))[
        "p99 to the stored result at 1,000/s below every peer's"]
    assert held and text.endswith("10.00 ms, and no peer keeps up: met")


def test_the_tables_say_who_does_not_keep_up_and_which_rounds_are_missing():
    found = results(**{"graphile-worker": system(100, 4_000, 5.0, 9, in_time=0.625)})
    for kinds in found.values():
        kinds["drain"] *= 2
    lines = []
    page = types.SimpleNamespace(say=lambda line="": lines.append(line), table=lambda header,
        rows: lines.extend(" | ".join(row) for row in rows))
    sizes = tables.sizes(types.SimpleNamespace(tasks=1_000, seconds=5, quick=False), found)
    tables.tell(page, found, [RATE], sizes)
    assert ("1,000/s, graphile-worker | 62.5%: does not keep up | 200"
            " | 9.0 | 9.0 | 9.0 | 9.0 | 9.0") in lines
    assert sizes == ("A drain has 1,000 tasks; open loop and submits last 5 s each. Figures are "
                     f"medians of 2 rounds; of 1, because the time was up: idle, submits, {KIND}")
    assert "Targets, 8 of 8 met:" in lines


def test_the_table_of_the_readme_has_every_system_and_counts_the_targets():
    found = results()
    for kinds in found.values():
        kinds[tables.open_loop(tables.SUMMARY_RATE)] = kinds[KIND]
    rows, lines = [], []
    page = types.SimpleNamespace(say=lambda line="": lines.append(line), table=lambda header,
        given: rows.extend(given))
    tables.summarize(page, found, [RATE], "Figures are of one round")
    assert [row[0] for row in rows] == ["Sluice", "graphile-worker", "BullMQ on Redis", "floor"]
    assert rows[0][1:] == ["9,000", "60", "4.0 / 4.0", "10", ""]
    assert lines[0].startswith("Figures are of one round. Of 8 targets 8 were met: [bench/](")


def test_alone_only_the_floor_is_compared():
    found = {name: figures for name, figures in results().items() if name in ("Sluice", "floor")}
    assert sorted(sentences(found)) == ["idle pickup p50 / floor", "idle pickup p99 / floor"]
