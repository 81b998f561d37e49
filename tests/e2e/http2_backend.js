// A backend that speaks HTTP/2 over TLS and nothing older: answers POST /solve after a while, and tells at GET /figures how many
// connections it had and how many requests were under way at once. Arguments: key, certificate, ms until an answer, and what it
// does not process but says so: of each connection "every-third" request (REFUSED_STREAM) or those "after-ten" (GOAWAY), of all the
// eight "after-one" (REFUSED_STREAM), or nothing. "nothing-more": it takes no body, and never answers. "informs": of the first
// request it says without end that its answer is on its way (103). "goes-dumb": its first connection answers once and then takes
// requests alone. "until-go": it answers when the prompt "go" comes, all but the prompt "never".
"use strict";
const fs = require("fs");
const http2 = require("http2");

const [key, certificate, delay_ms, refusing] = process.argv.slice(2);
const figures = { connections: 0, used: 0, used_and_open: 0, solved: 0, refused: 0, under_way: 0, under_way_at_most: 0 };
const settings = refusing === "nothing-more" ? { initialWindowSize: 0 } : {};
const server = http2.createSecureServer({ key: fs.readFileSync(key), cert: fs.readFileSync(certificate), settings });

function reply(stream, body) {
  if (stream.closed || stream.destroyed) return;
  stream.respond({ ":status": 200, "content-type": "application/json" });
  stream.end(JSON.stringify(body));
}

// Whether this request is refused, and the refusal is on its way.
function refuses(stream) {
  const session = stream.session;
  session.requests = (session.requests || 0) + 1;
  if ((refusing === "every-third" && session.requests % 3 === 0) || (refusing === "after-one" && figures.solved > 0 && figures.refused < 8)) {
    stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
    return true;
  }
  if (refusing !== "after-ten" || session.requests <= 10) return false;
  if (session.requests === 11) session.goaway(http2.constants.NGHTTP2_NO_ERROR, stream.id - 2);
  return true;
}

// Told apart from those that ask for figures.
function note_use(session) {
  if (session.is_used) return;
  session.is_used = true;
  session.is_first = figures.used++ === 0;
  figures.used_and_open++;
  session.on("close", () => figures.used_and_open--);
}

const held = [];
function solve(stream, prompt) {
  figures.solved++;
  reply(stream, { answer: "answer to " + prompt });
}

function take(stream, prompt) {
  if (refusing === "goes-dumb" && stream.session.is_first && figures.solved > 0) return;
  if (refusing !== "until-go") return setTimeout(solve, Number(delay_ms), stream, prompt);
  if (prompt !== "never") held.push(() => solve(stream, prompt));
  if (prompt === "go") held.forEach((answer) => answer());
}

function inform(stream) {
  for (let i = 0; i < 300 && !stream.destroyed; i++) stream.additionalHeaders({ ":status": 103 });
  if (!stream.destroyed) setImmediate(inform, stream);
}

server.on("session", () => figures.connections++);
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  if (headers[":path"] === "/figures") return reply(stream, figures);
  note_use(stream.session);
  if (refuses(stream)) return figures.refused++;
  if (refusing === "nothing-more") return figures.under_way++;
  if (refusing === "informs" && figures.refused++ === 0) return inform(stream);
  figures.under_way_at_most = Math.max(figures.under_way_at_most, ++figures.under_way);
  stream.on("close", () => figures.under_way--);
  let body = "";
  stream.on("data", (part) => (body += part));
  stream.on("end", () => take(stream, JSON.parse(body).prompt));
});
server.listen(0, "127.0.0.1", () => console.log("listening on https://127.0.0.1:" + server.address().port));
