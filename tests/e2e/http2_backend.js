// A backend that speaks HTTP/2 over TLS and nothing older: answers POST /solve after a while, and tells at GET /figures how many
// connections it had and how many requests were under way at once. Arguments: key, certificate, ms until an answer.
"use strict";
const fs = require("fs");
const http2 = require("http2");

const [key, certificate, delay_ms] = process.argv.slice(2);
const figures = { connections: 0, solved: 0, under_way: 0, under_way_at_most: 0 };
const server = http2.createSecureServer({ key: fs.readFileSync(key), cert: fs.readFileSync(certificate) });

function reply(stream, body) {
  if (stream.closed || stream.destroyed) return;
  stream.respond({ ":status": 200, "content-type": "application/json" });
  stream.end(JSON.stringify(body));
}

server.on("session", () => figures.connections++);
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  if (headers[":path"] === "/figures") return reply(stream, figures);
  figures.under_way_at_most = Math.max(figures.under_way_at_most, ++figures.under_way);
  stream.on("close", () => figures.under_way--);
  let body = "";
  stream.on("data", (part) => (body += part));
  stream.on("end", () =>
    setTimeout(() => {
      figures.solved++;
      reply(stream, { answer: "answer to " + JSON.parse(body).prompt });
    }, Number(delay_ms))
  );
});
server.listen(0, "127.0.0.1", () => console.log("listening on https://127.0.0.1:" + server.address().port));
