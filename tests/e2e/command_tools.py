"""Commands that configure a database, `url`. Test files import the fixture."""
import json

import pytest


@pytest.fixture
def run(sluice, url):
    return lambda *arguments: sluice(*arguments, "--database-url", url)


def rows(run, *arguments):
    """What a command prints with --json."""
    return [json.loads(line) for line in run(*arguments, "--json").stdout.splitlines()]
