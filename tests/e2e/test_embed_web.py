"""What scripts/lean.py leaves of the console's scripts, and what scripts/joined.py makes of its
modules, is the same program."""
import subprocess

import pytest
from conftest import load_script
from npm_tools import needs_npm

lean = load_script("lean.py")
joined = load_script("joined.py")

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


MODULES = {
    "app.js": "import {twice as double} from './parts/a.js';\nimport * as b from './parts/b.js';\n"
        "import own from './vendor/own.js';\nimport c from './c.js';\n"
        "console.log(double(b.two), own, new c().name, b.again);\n"
        "const late=async()=>(await import('./late.js')).default();\nlate().then(console.log);\n",
    "parts/a.js": "import {two} from './b.js';\nexport function twice(n){return n*two}\n"
        "function hidden(){}\n",
    "parts/b.js": "const hidden=2;\nexport {seven} from './d.js';\n"
        "export const two=hidden;\nconst again='import of a text';\nexport {again};\n",
    "parts/d.js": "export const seven=7;\nconst two='its own';\n",
    "c.js": "export default class C{name='c'}\n",
    "late.js": "import {two} from './parts/b.js';\nexport default function late(){return two+1}\n",
    "unused.js": "throw new Error('nobody wants this')\n"}


def join(modules):
    return joined.join(lambda name: modules[name], "app.js", "vendor/")


@needs_npm
def test_joined_modules_do_what_they_did_apart(tmp_path):
    text, names = join(MODULES)
    assert names == set(MODULES) - {"unused.js"}
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor/own.mjs").write_text("export default 'own'")
    (tmp_path / "app.mjs").write_text(text.replace("own.js", "own.mjs"))
    done = subprocess.run(["node", tmp_path / "app.mjs"], capture_output=True, text=True,
        timeout=60)
    assert (done.stdout, done.stderr) == ("4 own c import of a text\n3\n", "")


@pytest.mark.parametrize("text, told", [("import './x.js';", "form"),
    ("import a, {b} from './x.js';", "form"), ("export * from './x.js';", "form"),
    ("export let a=1;", "form"),
    ("export {a as b};", "form"), ("export {a as b} from './x.js';", "form"),
    ("export default 7;", "form"), ("f(import.meta.url)", "form"), ("import(name)", "form"),
    ("import {a} from './app.js';", "itself"), ("import {a} from './y.js';", "itself")])
def test_what_cannot_be_joined_is_refused(text, told):
    modules = {"app.js": text + "\n", "x.js": "", "y.js": "import {b} from './app.js';\n"}
    with pytest.raises(ValueError, match=told):
        join(modules)
