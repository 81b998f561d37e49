"""What scripts/lean.py leaves of the console's scripts is the same program."""
import pytest
from conftest import load_script

lean = load_script("lean.py")

pytestmark = pytest.mark.plain_build_only


@pytest.mark.parametrize("text,left", [
    ("i++ / 2 + ' / '", "i++ /2+' / '"), ("i-- / 2 + ' / '", "i-- /2+' / '"),
    ("a + ++b - --c", "a+ ++b- --c"), ("a - -b", "a- -b"), ("a+++b", "a+++b"),
    ("return/**/x", "return x"), ("/* first */ a", "a"), ("a /* b */ = 1 // c\nd", "a=1\nd"),
    ("/re/ instanceof X", "/re/ instanceof X"), ("/re/g in x", "/re/g in x"),
    ("a / b / c", "a/b/c"), ("return /'/.test(x)", "return/'/.test(x)"),
    ("`a ${ b /* c */ } / ${`d  e`}`", "`a ${b} / ${`d  e`}`")])
def test_blanks_and_comments_go_where_they_part_nothing(text, left):
    assert lean.lean_js(text) == left + "\n"
