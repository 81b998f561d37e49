"""Files over HTTP: uploads in every form, lists, contents, expiry, and what is refused leaves
nothing behind."""
import http.client
import json
import socket

import pytest
from batch_tools import form, post_file
from conftest import http as send
from conftest import memory_bytes, query, wait_for
from front_tools import front, shared_front  # noqa: F401 (fixtures)

TEXT = '{"a": "größe"}\r\n\n{"b": 2}\nno end of line'


def stored(url):
    return query(url, "select count(*), (select count(*) "
        "from sluice.file_part) from sluice.file")[0]


def test_a_file_is_uploaded_shown_listed_sent_back_and_deleted(front):
    made = post_file(front.port, TEXT)
    assert made.status == 200
    file = made.json
    assert file == {"id": file["id"], "object": "file", "bytes": len(TEXT.encode()),
        "created_at": file["created_at"], "expires_at": file["created_at"] + 30 * 86400,
        "filename": "in.jsonl", "purpose": "batch", "status": "processed", "status_details": None}
    assert send(front.port, "GET", f"/v1/files/{file['id']}").json == file
    assert send(front.port, "GET", "/v1/files?purpose=batch").json["data"] == [file]
    assert send(front.port, "GET", f"/v1/files/{file['id']}/content").body.encode() == TEXT.encode()
    gone = send(front.port, "DELETE", f"/v1/files/{file['id']}")
    assert gone.json == {"id": file["id"], "object": "file", "deleted": True}
    for method, path in (("GET", ""), ("GET", "/content"), ("DELETE", "")):
        assert send(front.port, method, f"/v1/files/{file['id']}{path}").status == 404
    assert stored(front.url) == (0, 0)


def test_a_file_of_many_parts_comes_back_as_it_was(front):
    text = "".join(f'{{"n": {n}, "x": "{"y" * (n % 3000)}"}}\n' for n in range(4000)).encode()
    file = post_file(front.port, text).json
    assert file["bytes"] == len(text)
    assert query(front.url, "select count(*) > 4, sum(lines) from sluice.file_part")[0] == (True,
        4000)
    assert send(front.port, "GET", f"/v1/files/{file['id']}/content").body.encode() == text


def test_a_form_may_be_chunked_and_its_fields_in_any_order(front):
    boundary = "openai-xyz"
    body = (f'--{boundary}\r\nContent-Disposition: form-data; name="file"; '
        'filename="a \\"b\\".jsonl"\r\nContent-Type: '
        f'application/octet-stream\r\n\r\n{TEXT}\r\n--{boundary}\r\nContent-Disposition: '
        f'form-data; name="colour"\r\n\r\nblue\r\n--{boundary}\r\nContent-Disposition: form-data; '
        f'name="purpose"\r\n\r\nbatch\r\n--{boundary}\r\nContent-Disposition: form-data; '
        f'name="expires_after[anchor]"\r\n\r\ncreated_at\r\n--{boundary}\r\nContent-Disposition: '
        f'form-data; name="expires_after[seconds]"\r\n\r\n3600\r\n--{boundary}--\r\n').encode()
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=30)
    connection.request("POST", "/v1/files", iter([body[n:n + 7] for n in range(0, len(body), 7)]),
                       {"Content-Type": f"multipart/form-data; boundary={boundary}"},
                       encode_chunked=True)
    file = json.loads(connection.getresponse().read())
    connection.close()
    assert (file["filename"], file["bytes"]) == ('a "b".jsonl', len(TEXT.encode()))
    assert file["expires_at"] - file["created_at"] == 3600


def test_a_large_chunked_upload_is_taken_whole(front):
    content_type, body = form({"purpose": "batch"}, ("x" * 99 + "\n") * 60_000)
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=60)
    connection.request("POST", "/v1/files", (body[n:n + 1000] for n in range(0, len(body), 1000)),
        {"Content-Type": content_type}, encode_chunked=True)
    file = json.loads(connection.getresponse().read())
    connection.close()
    assert file["bytes"] == 6_000_000


@pytest.mark.plain_build_only
def test_far_too_large_an_upload_is_told_so(front):
    refused = post_file(front.port, b"x\n" * 140_000_000)
    assert (refused.status, refused.error) == (413, "too_large")


def test_a_file_that_goes_while_it_is_sent_is_cut_off(front):
    file = post_file(front.port, ("x" * 999 + "\n") * 60_000).json["id"]
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=60)
    connection.request("GET", f"/v1/files/{file}/content")
    response = connection.getresponse()
    response.read(1000)
    assert send(front.port, "DELETE", f"/v1/files/{file}").status == 200
    with pytest.raises((http.client.HTTPException, OSError)):
        response.read()
    connection.close()


def test_lists_are_paged_by_id(front):
    ids = [post_file(front.port, str(n)).json["id"] for n in range(5)]
    def page(arguments):
        reply = send(front.port, "GET", f"/v1/files?{arguments}").json
        return [each["id"]
            for each in reply["data"]], reply["has_more"], reply["first_id"], reply["last_id"]
    assert page("limit=2") == ([ids[4], ids[3]], True, ids[4], ids[3])
    assert page(f"limit=3&after={ids[3]}") == ([ids[2], ids[1], ids[0]], False, ids[2], ids[0])
    assert page("limit=2&order=asc") == (ids[:2], True, ids[0], ids[1])
    assert page(f"after={ids[0]}") == ([], False, None, None)
    assert page("purpose=batch_output") == ([], False, None, None)
    for wrong in ("limit=0", "limit=10001", "order=up", "after=7", "after=batch_1"):
        assert send(front.port, "GET", f"/v1/files?{wrong}").status == 400


def test_a_file_without_bytes_is_one(front):
    file = post_file(front.port, "").json
    assert file["bytes"] == 0
    assert send(front.port, "GET", f"/v1/files/{file['id']}/content").body == ""


@pytest.mark.parametrize("fields, file, said", [({"purpose": "fine-tune"}, "x", "purpose"),
        ({"purpose": "b" * 2000}, "x", "field"), ({}, b"\xff\xfe", "UTF-8"), ({}, b"a\0b", "UTF-8"),
        ({"expires_after[seconds]": "3600"}, "x", "expires_after"),
        ({"expires_after[anchor]": "created_at", "expires_after[seconds]": "3599"}, "x",
            "expires_after"), ({}, b"x" * (17 << 20), "16 MiB")],
    ids=["purpose", "long", "utf-8", "nul", "anchor", "too soon", "long line"])
def test_what_is_refused_leaves_nothing_behind(shared_front, fields, file, said):
    refused = post_file(shared_front.port, file, **fields)
    assert refused.status == 400 and said in refused.json["error"]["message"], refused.body
    assert stored(shared_front.url) == (0, 0)


@pytest.mark.parametrize("line", ['{"custom_id": LIST}', '{"custom_id": "a", "url": LIST}',
    '{"custom_id": "a", "body": {"model": LIST}}'])
@pytest.mark.parametrize("end", ["\n", ""], ids=["a line", "the last line"])
def test_a_line_whose_numbers_are_long_when_written_is_refused(shared_front, line, end):
    """A batch of 2.7 MB took PostgreSQL 1.5 GB and half a minute; others' waited."""
    numbers = "[" + "1e-999," * 15_000 + "0]"
    text = '{"custom_id": "first"}\n' + line.replace("LIST", numbers) + end
    reply = post_file(shared_front.port, text)
    assert reply.status == 400, reply.body
    assert "a line has numbers whose exponents come to more than" in reply.body
    assert stored(shared_front.url) == (0, 0)


def test_what_is_no_form_is_refused(shared_front):
    content_type, body = form({"purpose": "batch"}, "x")
    for wrong_type, wrong_body in (("application/json", body), ("multipart/form-data", body),
            (content_type, body[:-20]),
            (content_type, body.replace(b'name="file"', b'name="data"')), (content_type, b""),
            ("multipart/form-data; boundary=other", body)):
        refused = send(shared_front.port, "POST", "/v1/files", wrong_body,
            headers={"Content-Type": wrong_type})
        assert refused.status == 400, (wrong_type, refused.body)
    assert stored(shared_front.url) == (0, 0)


def test_a_client_that_leaves_in_the_middle_leaves_nothing_behind(front):
    content_type, body = form({"purpose": "batch"}, ("x" * 99 + "\n") * 40_000)
    with socket.create_connection(("127.0.0.1", front.port)) as client:
        client.sendall("POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            f"{content_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:3_000_000])
        wait_for(lambda: stored(front.url)[1] > 0, what="a part")
    wait_for(lambda: stored(front.url) == (0, 0), what="nothing to be left")


def test_an_upload_under_way_is_not_there_yet_and_a_killed_servers_goes_after_a_day(front, server):
    content_type, body = form({"purpose": "batch"}, ("x" * 99 + "\n") * 40_000)
    with socket.create_connection(("127.0.0.1", front.port)) as client:
        client.sendall("POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            f"{content_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:3_000_000])
        wait_for(lambda: stored(front.url)[1] > 0, what="a part")
        assert send(front.port, "GET", "/v1/files").json["data"] == []
        assert send(front.port, "GET", "/v1/files/file-1").status == 404
        front.process.kill()
    port = server(front.url).port
    assert stored(front.url)[0] == 1 and send(port, "GET", "/v1/files").json["data"] == []
    query(front.url, "update sluice.file set expires_at = now()")
    wait_for(lambda: stored(front.url) == (0, 0), what="the leftovers to go")


def test_uploads_are_bounded(front):
    content_type, body = form({"purpose": "batch"}, "x")
    head = (f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    # 7/8 of 16: all are of one address
    clients = [socket.create_connection(("127.0.0.1", front.port)) for _ in range(14)]
    try:
        for client in clients:
            client.sendall(head + body[:10])
        refused = wait_for(lambda: (reply := post_file(front.port, "y")).status == 503
            and reply, what="the bound")
        assert refused.headers["Retry-After"] == "5"
        clients[0].sendall(body[10:])
        assert b"200 OK" in clients[0].recv(100)
        assert post_file(front.port, "y").status == 200
    finally:
        for client in clients:
            client.close()


@pytest.mark.plain_build_only
def test_200_mb_are_taken_in_bounded_memory_and_one_byte_more_is_not(front):
    post_file(front.port, "warm\n")
    idle = memory_bytes(front.process.pid, "VmHWM")
    text = (b"x" * 3999 + b"\n") * 50_000
    taken = post_file(front.port, text)
    assert taken.status == 200 and taken.json["bytes"] == 200_000_000
    assert memory_bytes(front.process.pid, "VmHWM") - idle < 100 << 20
    refused = post_file(front.port, text + b"x")
    assert (refused.status, refused.error) == (413, "too_large")
    assert query(front.url, "select count(*) from sluice.file")[0] == (2,)
    sent = http.client.HTTPConnection("127.0.0.1", front.port, timeout=60)
    sent.request("GET", f"/v1/files/{taken.json['id']}/content")
    response, count = sent.getresponse(), 0
    while block := response.read(1 << 20):
        count += len(block)
    sent.close()
    assert count == 200_000_000 and memory_bytes(front.process.pid, "VmHWM") - idle < 100 << 20
