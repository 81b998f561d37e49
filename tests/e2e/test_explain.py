"""explain: the database's sentence, word by word, for people and for programs."""
import json

import pytest
from conftest import query

pytestmark = pytest.mark.plain_build_only


def test_explain_prints_one_sentence(sluice, pg):
    url = pg.database()
    query(url, "insert into sluice.models (name, url) values ('m', 'http://127.0.0.1:1')")
    task = query(url, "select sluice.submit('a secret', 'm')")[0][0]
    sentence = "queued for m: first in its queue, no live worker serves the model"
    plain = sluice("explain", task, "--database-url", url)
    assert (plain.returncode, plain.stdout, plain.stderr) == (0, sentence + "\n", "")
    as_json = sluice("explain", task, "--json", "--database-url", url)
    assert json.loads(as_json.stdout) == {"id": task, "explanation": sentence}


def test_a_sentence_is_as_wide_as_the_terminal(sluice, pg):
    url = pg.database()
    query(url, "insert into sluice.models (name, url) values ('m', 'http://127.0.0.1:1')")
    task = query(url, "select sluice.submit('p', 'm')")[0][0]
    ended = sluice("explain", task, "--database-url", url, env={"COLUMNS": "50"})
    assert ended.stdout == ("queued for m: first in its queue, no live worker\n"
        "  serves the model\n")


def test_explain_of_no_task_is_a_clear_error(sluice, pg):
    ended = sluice("explain", "404", "--database-url", pg.database())
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "there is no task 404" in ended.stderr
