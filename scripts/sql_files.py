"""The files of sql/functions in the order in which they are applied, and what stands between them.

A folder is a layer, numbered by the digit before its name. A file's functions are called from its
own layer or one above, and no files of a layer call each other in a circle, so each file can be
applied after all that it calls. sql/README.md lists the layers.
"""
import pathlib
import re

MADE = re.compile(r"^create or replace (?:function|procedure|view) sluice\.(\w+)", re.M)
VIEW = re.compile(r"^create or replace view sluice\.(\w+)", re.M)


def code_of(text):
    """Without comments and quoted strings: a hint that names a function does not call it.
    Dollar-quoted bodies stay."""
    return re.sub(r"'(?:''|[^'])*'", "''", re.sub(r"--[^\n]*", "", text))


class SqlFiles:
    """Reads every .sql below `root`; paths are relative to it."""

    def __init__(self, root):
        root = pathlib.Path(root)
        code = {str(path.relative_to(root)): code_of(path.read_text(encoding="utf-8"))
            for path in sorted(root.rglob("*.sql"))}
        self.makers = {}  # name: the files that make it (several for one name with other arguments)
        for path, text in code.items():
            for name in MADE.findall(text):
                self.makers.setdefault(name, set()).add(path)
        views = {name for text in code.values() for name in VIEW.findall(text)}
        self.needs = {}  # path: {path: a name that it calls there}
        for path, text in code.items():
            names = set(re.findall(r"\bsluice\.(\w+)\(", text)) | views & set(
                re.findall(r"\bsluice\.(\w+)\b", text))
            self.needs[path] = {maker: name for name in names for maker in self.makers.get(name, ())
                if path not in self.makers[name]}

    def layers(self):
        return sorted({path.split("/")[0] for path in self.needs if "/" in path})

    def upward(self):
        """(path, the file that it may not call, a name): calls of a higher layer."""
        return [(path, other, name) for path, needs in self.needs.items()
            for other, name in needs.items()
            if "/" in path and other.split("/")[0] > path.split("/")[0]]

    def in_order(self):
        """All paths, layer after layer, within a layer called before caller. Raises ValueError
        where files call each other in a circle."""
        order = []
        todo = sorted(self.needs)
        while todo:
            layer = todo[0].split("/")[0]
            here = [path for path in todo if path.split("/")[0] == layer]
            ready = [path for path in here if not set(self.needs[path]) & set(here)]
            if not ready:
                raise ValueError("files call each other in a circle: " + ", ".join(here))
            order.append(ready[0])
            todo.remove(ready[0])
        return order
