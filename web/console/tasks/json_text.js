// JSON indented as text: numbers, however long, and repeated keys stay as they were written, which
// they would not if the text were parsed and written anew.

/** A text above this is shown as it came: indenting it would hold the page up. */
const CHARS_MAX = 2_000_000;
/** Deeper JSON is not indented further, so that lines stay readable. */
const DEPTH_MAX = 40;

/** @param {string} text
 * @returns {string | null} null: the text is no JSON object or array, or is too long */
export function indentJson(text) {
  if (text.length > CHARS_MAX || !/^\s*[[{]/.test(text)) return null;
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let out = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.min(depth, DEPTH_MAX))}`;
  // Strings, numbers and words are one token each; blanks between tokens are dropped.
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/g) ?? [];
  for (const [n, token] of tokens.entries()) {
    if (isOpen(token)) {
      out += token;
      depth += 1;
      if (!isClose(tokens[n + 1])) out += line();
    } else if (isClose(token)) {
      depth -= 1;
      if (!isOpen(tokens[n - 1])) out += line();
      out += token;
    } else {
      out += token === ',' ? `,${line()}` : token === ':' ? ': ' : token;
    }
  }
  return out;
}

/** @param {string | undefined} token */
function isOpen(token) {
  return token === '{' || token === '[';
}

/** @param {string | undefined} token */
function isClose(token) {
  return token === '}' || token === ']';
}
