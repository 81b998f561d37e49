"""Modules of JavaScript as one: a page asks for one file in place of sixty, and gzip sees what they
have in common.

Each module becomes a function that is called once, after those that it imports, and returns what it
exports; names stay, except that $0, $1, … are the modules. What is imported lazily,
import('./x.js'), is there from the beginning. Taken are the forms in which the console's modules
are written:

    import { a, b as c } from './x.js';   import * as x from './x.js';   import x from './x.js';
    export const a = …   export function a() …   export default function a() …   (or class)
    export { a, b };   export { a } from './x.js';   import('./x.js')

with import and export at the beginning of a line. Others are errors, and so is a circle.
"""
import posixpath
import re

IMPORT = re.compile(r"^import\s*(\{[^}]*\}|\*\s*as\s+\w+|\w+)\s*from\s*'(\.[^']*)';\n?", re.M)
LAZY = re.compile(r"\bimport\('(\.[^']*)'\)")
AGAIN = re.compile(r"^export\s*(\{[^}]*\})\s*from\s*'(\.[^']*)';\n?", re.M)
LIST = re.compile(r"^export\s*\{([^}]*)\};\n?", re.M)
DEFAULT = re.compile(r"^export default (?=(?:async )?(?:function|class)\b[ *]*(\w+))", re.M)
NAMED = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b[ *]*(\w+))", re.M)
LEFT = re.compile(r"^(?:import|export)\b.*|\bimport\((?!\0).*|\bimport\.meta\b.*", re.M)


class Joined:
    """Reads modules by `read`, a name → its text, beginning with `entry`. `outside`: the prefix of
    names that stay modules of their own."""

    def __init__(self, read, entry, outside):
        self.read, self.outside = read, outside
        self.numbers, self.under_way, self.written, self.imports, self.lazy = {}, set(), [], [], []
        self.entry = entry
        text = self.module(entry)  # entry's own stands last: what it begins may need any other
        while self.lazy:
            self.add(self.lazy.pop())
        self.text = "\n".join([*self.imports, *self.written, text]) + "\n"

    def add(self, name):
        """The variable of a module, which is written before whoever asks."""
        if name in self.under_way:
            raise ValueError(f"{name} imports itself by way of others")
        if name not in self.numbers:
            text = self.module(name)
            self.written.append(text)
        return f"${self.numbers[name]}"

    def module(self, name):
        self.under_way.add(name)
        folder, exports = posixpath.dirname(name), []
        place = lambda path: posixpath.normpath(posixpath.join(folder, path))

        def imported(match):
            names, path = match[1], place(match[2])
            if path.startswith(self.outside):
                self.imports.append(f"import {names} from './{path}';")
                return ""
            if names.startswith("{"):
                return f"const{names.replace(' as ', ':')}={self.add(path)};\n"
            if names.startswith("*"):
                return f"const {names.split()[-1]}={self.add(path)};\n"
            return f"const {names}={self.add(path)}.default;\n"

        def again(match):
            exports.extend(parts(match[1][1:-1]))
            return f"const{match[1]}={self.add(place(match[2]))};\n"

        def lazy(match):
            path = place(match[1])
            if path.startswith(self.outside):
                return f"import(\0{path}\0)"
            self.lazy.append(path)
            return f"Promise.resolve(\0{path}\0)"

        text = AGAIN.sub(again, IMPORT.sub(imported, self.read(name)))
        text = LAZY.sub(lazy, text)
        text = LIST.sub(lambda match: exports.extend(parts(match[1])) or "", text)
        text = DEFAULT.sub(lambda match: exports.append(f"default:{match[1]}") or "", text)
        text = NAMED.sub(lambda match: exports.append(match[1]) or "", text)
        if left := LEFT.search(text):
            raise ValueError(f"{name}: joined.py does not know this form: {left[0]}")
        self.under_way.discard(name)
        self.numbers[name] = len(self.numbers)
        return (f"const ${self.numbers[name]}=(()=>{{\n{text.strip()}\n"
            f"return{{{','.join(exports)}}}}})();")


def parts(names):
    if " as " in names:
        raise ValueError(f"joined.py does not know this form: export {{{names}}}")
    return [one.strip() for one in names.split(",")]


def join(read, entry, outside):
    """(the text of all, the names of the modules in it)."""
    joined = Joined(read, entry, outside)

    def address(match):
        name = match[1]
        return f"${joined.numbers[name]}" if name in joined.numbers else f"'./{name}'"
    return re.sub("\0([^\0]*)\0", address, joined.text), set(joined.numbers)
