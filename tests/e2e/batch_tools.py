"""What tests of files and batches over HTTP say again and again."""
import json
import uuid

from conftest import http, query, wait_for

ENDED = ("completed", "failed", "expired", "cancelled")


def line(custom_id, content="hi", model="chat", **changes):
    """A line of a batch's input."""
    request = {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions",
               "body": {"model": model, "messages": [{"role": "user", "content": content}]}}
    return json.dumps(request | changes)


def form(fields, file, filename="in.jsonl"):
    """(content type, body) of a form, as Python's SDK sends it; `file` comes last."""
    boundary = uuid.uuid4().hex
    parts = [(f'--{boundary}\r\nContent-Disposition: form-data; '
            f'name="{name}"\r\n\r\n{value}\r\n').encode() for name, value in fields.items()]
    head = (f'--{boundary}\r\nContent-Disposition: form-data; name="file"; '
        f'filename="{filename}"\r\nContent-Type: application/octet-stream\r\n\r\n')
    body = file if isinstance(file, bytes) else file.encode()
    return f"multipart/form-data; boundary={boundary}", b"".join(
        parts) + head.encode() + body + f"\r\n--{boundary}--\r\n".encode()


def post_file(port, file, key=None, **fields):
    content_type, body = form({"purpose": "batch"} | fields, file)
    return http(port, "POST", "/v1/files", body, key=key, headers={"Content-Type": content_type})


def upload(port, lines):
    """The id of a new file of these lines."""
    reply = post_file(port, "".join(text + "\n" for text in lines))
    assert reply.status == 200, reply.body
    return reply.json["id"]


def post_batch(port, file, key=None, **changes):
    body = {"input_file_id": file, "endpoint": "/v1/chat/completions",
        "completion_window": "24h"} | changes
    return http(port, "POST", "/v1/batches", body, key=key)


def begin_batch(port, lines, **changes):
    """The id of a new batch over these lines."""
    reply = post_batch(port, upload(port, lines), **changes)
    assert reply.status == 200, reply.body
    return reply.json["id"]


def batch(port, batch_id):
    return http(port, "GET", f"/v1/batches/{batch_id}").json


def wait_status(port, batch_id, *wanted, deadline_s=60):
    """Waits until the batch has one of these states; the batch."""
    def look():
        found = batch(port, batch_id)
        assert found["status"] in wanted or found["status"] not in ENDED, found
        return found if found["status"] in wanted else None
    return wait_for(look, deadline_s, f"batch {batch_id} to be {' or '.join(wanted)}")


def content(port, file):
    """The lines of a file, by custom_id; each is there once."""
    if file is None:
        return {}
    lines = [json.loads(text) for text in http(port, "GET",
        f"/v1/files/{file}/content").body.splitlines()]
    found = {each["custom_id"]: each for each in lines}
    assert len(found) == len(lines)
    return found


def outcome(port, ended):
    """What a batch put out: (lines of its output, of its errors), each by custom_id; none is in
    both."""
    outputs, errors = content(port, ended["output_file_id"]), content(port, ended["error_file_id"])
    assert not outputs.keys() & errors.keys()
    return outputs, errors


def phase(url):
    """Of the one batch: (phase, how far it has come)."""
    return query(url, "select phase, position from sluice.batch")[0]
