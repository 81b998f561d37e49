"""A backend that speaks HTTP/1.1 over TLS: answers POST /solve after a while and closes the
connection. Arguments: key, certificate, seconds until an answer."""
import asyncio
import json
import re
import ssl
import sys

key, certificate, delay_s = sys.argv[1:]


async def serve(reader, writer):
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        body = json.loads(
            await reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head)[1])))
        await asyncio.sleep(float(delay_s))
        answer = json.dumps({"answer": "answer to " + body["prompt"]}).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                     b"Content-Length: %d\r\n\r\n" % len(answer) + answer)
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError, ssl.SSLError):
        pass
    writer.close()


async def main():
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls, backlog=1024)
    print("listening on https://127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
