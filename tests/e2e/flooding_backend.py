"""A hostile backend with TLS: it answers each request with frames of HTTP/2 that are no body, or
with a body in pieces of a byte, as fast as they are taken, until the connection ends. Arguments:
key, certificate, the kind of pieces: "empty data", "window updates", "data of a byte", or, of
HTTP/1.1, "records of a byte"."""
import socket
import ssl
import sys
import threading

key, certificate, kind = sys.argv[1:]
PREFACE_BYTES, HEAD_BYTES = 24, 9
DATA, HEADERS, SETTINGS, WINDOW_UPDATE = 0, 1, 4, 8
END_STREAM = ACK = 1
END_HEADERS = 4
FRAMES_AT_ONCE = 1000

tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(certificate, key)
tls.set_alpn_protocols(["http/1.1" if kind == "records of a byte" else "h2"])


def frame(kind, flags, stream, payload=b""):
    return (len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
        + payload)


def flood_records(client, reader):
    while reader.readline().strip():
        pass
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 30000000\r\n\r\n")
    while True:
        client.send(b" ")


def serve(connection):
    try:
        with (tls.wrap_socket(connection, server_side=True) as client,
                client.makefile("rb") as reader):
            if kind == "records of a byte":
                flood_records(client, reader)
            reader.read(PREFACE_BYTES)
            client.sendall(frame(SETTINGS, 0, 0))
            while True:
                head = reader.read(HEAD_BYTES)
                size, kind_of, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                stream = int.from_bytes(head[5:], "big")
                reader.read(size)
                if kind_of == SETTINGS and not flags & ACK:
                    client.sendall(frame(SETTINGS, ACK, 0))
                if kind_of in (DATA, HEADERS) and flags & END_STREAM:
                    break
            client.sendall(frame(HEADERS, END_HEADERS, stream, b"\x88"))  # :status: 200
            one = {"empty data": frame(DATA, 0, stream),
                "data of a byte": frame(DATA, 0, stream, b" "),
                "window updates": frame(WINDOW_UPDATE, 0, 0, (1).to_bytes(4, "big"))}[kind]
            while True:
                client.sendall(one * FRAMES_AT_ONCE)
    except (OSError, IndexError):
        pass  # it has gone


listener = socket.create_server(("127.0.0.1", 0))
print(f"listening on https://127.0.0.1:{listener.getsockname()[1]}", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
