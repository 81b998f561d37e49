"""What the scripts share that turn files of the tree into a C++ file: literals, the depfile."""
import pathlib

LITERAL_BYTES_MAX = 100  # of a line: four characters at most for each


def literal(data):
    """`data` as C++ string literals, one below the other."""
    lines = []
    for at in range(0, len(data), LITERAL_BYTES_MAX):
        text = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
            for byte in data[at:at + LITERAL_BYTES_MAX])
        lines.append(f'"{text}"')
    return "\n    ".join(lines) or '""'


def write_depfile(depfile, output, inputs):
    """Says that `output` is made from `inputs`, and from this file. The folders themselves stand
    among them: a file that comes or goes changes its folder, so the next build runs the script
    again without a reconfigure."""
    escaped = [str(path).replace(" ", "\\ ") for path in [output, *inputs, pathlib.Path(__file__)]]
    depfile.write_text(f"{escaped[0]}: {' '.join(escaped[1:])}\n")
