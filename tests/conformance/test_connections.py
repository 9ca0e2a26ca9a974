"""What clients and scanners send besides plain requests, byte for byte on the socket, and what must come back."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.kit.postgres import Cluster
from tests.kit.services import Built, Service, running
from tests.kit.waiting import LONGEST

Start = Callable[[str], Service]
Build = Callable[[str], Built]
BOTH = pytest.mark.parametrize("slug", ["python_foundry", "node_foundry"])
STOCKS = "/api/metal_stocks"
STOCK = f"{STOCKS}/00000000-0000-7000-8000-000000000000"
BODY = '{"weight":1}'
JSON = "Content-Type: application/json\r\n"
CHUNKED = f"{JSON}Transfer-Encoding: chunked\r\n"
LENGTH = f"Content-Length: {len(BODY)}\r\n"
WHOLE = b"c\r\n" + BODY.encode() + b"\r\n"
CREATED = re.compile(r'\{"id":"[0-9a-f-]{36}"\}')


class Reply(NamedTuple):
    status: int
    allow: str
    problem: str


def request(method: str, target: str, headers: str = "", body: str = "") -> bytes:
    length = f"Content-Length: {len(body.encode())}\r\n" if body else ""
    return f"{method} {target} HTTP/1.1\r\nHost: foundry\r\nConnection: close\r\n{headers}{length}\r\n{body}".encode()


def exchanged(service: Service, *sent: bytes, is_last: bool = False) -> bytes:
    """All that comes back until the service closes the connection; when `is_last`, it is told that no more is sent."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=LONGEST) as connection:
        received = b""
        for part in sent:
            connection.sendall(part)
            if part is not sent[-1]:
                received += connection.recv(65536)
        if is_last:
            connection.shutdown(socket.SHUT_WR)
        while got := _next(connection):
            received += got
        return received


def _next(connection: socket.socket) -> bytes:
    """A service that closes on unread bytes resets the connection, once it has answered."""
    try:
        return connection.recv(65536)
    except ConnectionResetError:
        return b""


def reply(received: bytes) -> Reply:
    head, _, body = received.decode().partition("\r\n\r\n")
    line, *headers = head.split("\r\n")
    named = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in headers)}
    if body and "json" in named.get("content-type", ""):
        assert named["x-request-id"]
        assert int(named["content-length"]) == len(body.encode())
    return Reply(int(line.split()[1]), named.get("allow", ""), CREATED.sub("created", body))


def chunked(line: bytes) -> bytes:
    """A body of one chunk that begins with `line`."""
    return request("POST", STOCKS, CHUNKED) + line + WHOLE[1:] + b"0\r\n\r\n"


def problem(status: int, title: str, detail: str, instance: str = "", allow: str = "") -> Reply:
    told = {"type": "about:blank", "title": title, "status": status, "detail": detail, "instance": instance}
    return Reply(status, allow, json.dumps(told, separators=(",", ":")))


def no_method(method: str, target: str, allow: str) -> Reply:
    return problem(405, "Method Not Allowed", f"{method} is not allowed here", target, allow)


def no_route(target: str) -> Reply:
    return problem(404, "Not Found", "no such route", target)


CREATES = Reply(201, "", "created")
LIST = Reply(200, "", '{"items":[],"page":1,"pageSize":20,"total":0,"totalPages":0}')
WELL = Reply(200, "", '{"status":"ok"}')
MALFORMED = problem(400, "Bad Request", "Malformed HTTP request")
NO_CODING = problem(501, "Not Implemented", "Transfer-Encoding must be chunked")
TOO_LARGE = problem(431, "Request Header Fields Too Large", "Request head is larger than 16384 bytes")
LATE = problem(408, "Request Timeout", "Request did not arrive within 1 seconds")
NO_JSON = problem(415, "Unsupported Media Type", "Content-Type must be application/json", STOCKS)
TOO_LONG = problem(413, "Content Too Large", "Request body is larger than 1048576 bytes", STOCKS)
ALL = "GET, HEAD, POST"

READS: list[tuple[str, bytes, Reply]] = [
    *[
        (f"the method {method}", request(method, STOCKS), no_method(method, STOCKS, ALL))
        for method in ("BREW", "get", "post", "PATCH", "TRACE", "CONNECT", "M-SEARCH", "X" * 200)
    ],
    ("an unknown method with a body", request("BREW", STOCK, JSON, "{}"), no_method("BREW", STOCK, "GET, HEAD")),
    ("an unknown method nowhere", request("BREW", "/nowhere"), no_route("/nowhere")),
    ("a tunnel", request("CONNECT", "foundry:443"), no_route("foundry:443")),
    ("options of the server", request("OPTIONS", "*"), no_route("*")),
    (
        "a method that a script asks for without its origin",
        request("OPTIONS", STOCKS, "Access-Control-Request-Method: POST\r\n"),
        no_method("OPTIONS", STOCKS, ALL),
    ),
    ("HEAD", request("HEAD", STOCKS), Reply(200, "", "")),
    ("HEAD of what only POST takes", request("HEAD", f"{STOCK}/draw"), Reply(405, "POST", "")),
    ("a slash too many", request("GET", f"{STOCKS}/"), no_route(f"{STOCKS}/")),
    ("a slash too many in front", request("GET", f"/{STOCKS}"), no_route(f"/{STOCKS}")),
    ("dots", request("GET", f"/api/..{STOCKS}"), no_route(f"/api/..{STOCKS}")),
    ("an escaped letter", request("GET", "/api/%6Detal_stocks"), LIST),
    ("an escaped slash", request("GET", "/api%2Fmetal_stocks"), no_route("/api%2Fmetal_stocks")),
    ("half an escape", request("GET", "/api/%e"), no_route("/api/%e")),
    ("a parameter of a path", request("GET", f"{STOCKS};a=b"), no_route(f"{STOCKS};a=b")),
    ("a fragment", request("GET", f"{STOCKS}#top"), no_route(f"{STOCKS}#top")),
    ("quotes in a path", request("GET", '/api/"<\\>^`{|}'), no_route('/api/"<\\>^`{|}')),
    ("quotes in a query", request("GET", f'{STOCKS}?a="<\\>^`{{|}}'), LIST),
    ("scheme and host", request("GET", f"http://elsewhere{STOCKS}"), LIST),
    ("scheme and host alone", request("GET", "http://elsewhere"), no_route("/")),
    ("another port of the host", request("GET", STOCKS, "Accept: text/html\r\n"), LIST),
    ("no host", f"GET {STOCKS} HTTP/1.1\r\n\r\n".encode(), MALFORMED),
    ("two hosts", request("GET", STOCKS, "Host: other\r\n"), MALFORMED),
    ("an odd host", f"GET {STOCKS} HTTP/1.1\r\nHost: a b/c?d\r\nConnection: close\r\n\r\n".encode(), LIST),
    ("an old client", f"GET {STOCKS} HTTP/1.0\r\n\r\n".encode(), LIST),
    ("letters beyond ASCII", request("GET", "/api/é"), MALFORMED),
    ("a space in the target", request("GET", "/api/a b"), MALFORMED),
    ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", MALFORMED),
    ("a header without a colon", request("GET", "/health", "Xabc\r\n"), MALFORMED),
    ("a space behind the name of a header", request("GET", "/health", "X : y\r\n"), MALFORMED),
    ("a NUL in a header", request("GET", "/health", "X: a\0b\r\n"), MALFORMED),
    ("a large header", request("GET", "/health", f"X: {'a' * 15_000}\r\n"), WELL),
    ("a header too large", request("GET", "/health", f"X: {'a' * 17_000}\r\n"), TOO_LARGE),
    ("headers too many", request("GET", "/health", "".join(f"X-{n}: a\r\n" for n in range(2500))), TOO_LARGE),
    ("a target too long", request("GET", f"/{'a' * 17_000}"), TOO_LARGE),
    ("an upgrade", request("GET", "/health", "Upgrade: websocket\r\n"), WELL),
    *[
        (f"the version {version}", f"GET /health {version}\r\nHost: foundry\r\n\r\n".encode(), MALFORMED)
        for version in ("HTTP/0.9", "HTTP/1.2", "HTTP/1.10", "HTTP/2.0", "http/1.1")
    ],
    ("lines that end in LF alone", request("GET", "/health").replace(b"\r", b""), MALFORMED),
    ("a line that ends in LF alone", request("GET", "/health", "X: a\nY: b\r\n"), MALFORMED),
    ("lines that end in CR alone", request("GET", "/health").replace(b"\n", b""), MALFORMED),
    ("empty lines in front", b"\r\n\r\n" + request("GET", "/health"), WELL),
    ("a header on two lines", request("GET", "/health", "X: a\r\n b\r\n"), MALFORMED),
    ("a control character in a header", request("GET", "/health", "X: a\x7fb\r\n"), MALFORMED),
    ("a header without a name", request("GET", "/health", ": a\r\n"), MALFORMED),
    ("a target without a slash", request("GET", "health"), MALFORMED),
    ("a query without a path", request("GET", "?a"), MALFORMED),
    ("an old client that would stay", b"GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", WELL),
]
WRITES: list[tuple[str, bytes, Reply]] = [
    (
        "a type with parameters",
        request("POST", STOCKS, "Content-Type: application/json; charset=utf-8\r\n", BODY),
        CREATES,
    ),
    ("a type in capitals", request("POST", STOCKS, "Content-Type: APPLICATION/JSON\r\n", BODY), CREATES),
    ("a type of the same family", request("POST", STOCKS, "Content-Type: application/vnd.api+json\r\n", BODY), NO_JSON),
    ("no type", request("POST", STOCKS, "", BODY), NO_JSON),
    ("two types", request("POST", STOCKS, f"{JSON}Content-Type: text/plain\r\n", BODY), NO_JSON),
    ("an expectation that is known", request("POST", STOCKS, f"{JSON}Expect: odd\r\n", BODY), CREATES),
    ("chunks", request("POST", STOCKS, CHUNKED) + b'4\r\n{"we\r\n8;a=b\r\night":1}\r\n0\r\n\r\n', CREATES),
    *[
        (f"a chunk that begins with {line!r}", chunked(line), CREATES)
        for line in (
            *(b"C", b"000c", b"c;a", b"c;a=b", b"c;a=b;d=e", b"c;a=", b"c;=b", b"c;a=;b", b"c;" + b"a" * 16_000),
            *(b'c;a="b c"', b'c;a="b;c"', b'c;a="b\\"c"', b'c;a=b"c"', b'c;a="b";c', b'c;a="\xe9\t"', b'c;a="\\\xe9"'),
        )
    ],
    *[
        (f"a chunk that begins with {line!r}", chunked(line), MALFORMED)
        for line in (
            *(b"", b"0xc", b"+c", b" c", b"c ", b"c\t", b"c a", b"c,a", b"c ;a", b"c; a", b"c;a ", b"c;a =b"),
            *(b"c;", b"c;;", b"c;a;", b"c;a=;", b"c;a=b;", b"c;a=b c", b"c;a=b,c", b"c;a@b=c", b"c;a=b=c", b'c;"a"'),
            *(b"c;\x80", b"c;a=\x01", b"c;a=\xe9", b"c;a=b\r", b"c;a=b\n", b"c;" + b"a" * 17_000),
            *(b'c;a="b', b'c;a="b"c', b'c;a="b" ', b'c;a="b";', b'c;a="\\"', b'c;a="\x01"', b'c;a="\x7f"', b"c;a= b"),
        )
    ],
    ("a last chunk that is extended", request("POST", STOCKS, CHUNKED) + WHOLE + b"0;a=b\r\n\r\n", CREATES),
    ("a last chunk of several digits", request("POST", STOCKS, CHUNKED) + WHOLE + b"000\r\n\r\n", CREATES),
    ("a last chunk with a space", request("POST", STOCKS, CHUNKED) + WHOLE + b"0 \r\n\r\n", MALFORMED),
    ("a trailer", request("POST", STOCKS, CHUNKED) + WHOLE + b"0\r\nX-End: 1\r\n\r\n", CREATES),
    ("a trailer without a name", request("POST", STOCKS, CHUNKED) + WHOLE + b"0\r\nX End: 1\r\n\r\n", MALFORMED),
    ("a chunk longer than it says", request("POST", STOCKS, CHUNKED) + WHOLE[:-2] + b"xx0\r\n\r\n", MALFORMED),
    ("a chunk without a length", request("POST", STOCKS, CHUNKED) + b"zz\r\n", MALFORMED),
    ("an unknown coding", request("POST", STOCKS, f"{JSON}Transfer-Encoding: gzip, chunked\r\n"), NO_CODING),
    ("a length that is none", request("POST", STOCKS, f"{JSON}Content-Length: 4a\r\n"), MALFORMED),
    ("two lengths", request("POST", STOCKS, f"{JSON}Content-Length: 3\r\n", BODY), MALFORMED),
    ("a length that is said twice", request("POST", STOCKS, f"{JSON}{LENGTH}", BODY), MALFORMED),
    (
        "a length that is a list",
        request("POST", STOCKS, f"{JSON}Content-Length: 12, 12\r\n") + BODY.encode(),
        MALFORMED,
    ),
    ("a length and chunks", request("POST", STOCKS, f"{LENGTH}{CHUNKED}") + b"0\r\n\r\n", MALFORMED),
    ("chunks and a length", request("POST", STOCKS, f"{CHUNKED}{LENGTH}") + b"0\r\n\r\n", MALFORMED),
    (
        "a chunk that ends in LF alone",
        request("POST", STOCKS, CHUNKED) + b"c\n" + BODY.encode() + b"\r\n0\r\n\r\n",
        MALFORMED,
    ),
    ("a body announced too long", request("POST", STOCKS, f"{JSON}Content-Length: 2000000\r\n") + b"{", TOO_LONG),
]


@BOTH
def test_whatever_arrives_is_answered_in_the_words_of_the_contract(slug: str, start: Start) -> None:
    service = start(slug)
    for name, sent, expected in [*READS, *WRITES]:
        assert (name, reply(exchanged(service, sent))) == (name, expected)
    assert {line["level"] for line in service.lines()} <= {"info", "warn"}


@pytest.mark.parametrize(
    ("slug", "spaces", "zeros"), [("python_foundry", MALFORMED, MALFORMED), ("node_foundry", WELL, CREATES)]
)
def test_what_parsers_read_in_their_own_way(slug: str, spaces: Reply, zeros: Reply, start: Start) -> None:
    """RFC 9112 lets a server take several spaces in a request line for one (3) and any number of zeros in the length of
    a chunk (7.1). Node's parser takes both, and h11 neither; neither of them can be told otherwise."""
    service = start(slug)
    for line in (b"GET  /health HTTP/1.1", b"GET /health  HTTP/1.1"):
        assert reply(exchanged(service, request("GET", "/health").replace(b"GET /health HTTP/1.1", line))) == spaces
    assert reply(exchanged(service, chunked(b"0" * 22 + b"c"))) == zeros


@BOTH
def test_chunks_that_arrive_byte_by_byte_are_read_as_those_that_arrive_at_once(slug: str, start: Start) -> None:
    service = start(slug)
    head = request("POST", STOCKS, CHUNKED)
    body = b'4;a="b"\r\n{"we\r\n8;c\r\night":1}\r\n0\r\n\r\n'
    for sent, expected in [(body, CREATES), (body.replace(b";c", b"; c"), MALFORMED)]:
        with socket.create_connection(("127.0.0.1", service.port), timeout=LONGEST) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(head)
            received = b""
            with suppress(BrokenPipeError, ConnectionResetError):
                for byte in sent:
                    connection.sendall(bytes([byte]))
            while got := _next(connection):
                received += got
        assert reply(received) == expected


@BOTH
def test_a_client_that_waits_is_told_to_go_on(slug: str, start: Start) -> None:
    head = request("POST", STOCKS, f"{JSON}Expect: 100-continue\r\nContent-Length: {len(BODY)}\r\n")
    received = exchanged(start(slug), head, BODY.encode())
    first, _, rest = received.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 100 ")
    assert reply(rest) == CREATES


@BOTH
def test_requests_in_one_packet_are_answered_in_their_order(slug: str, start: Start) -> None:
    kept = [request("GET", "/health"), request("POST", STOCKS, JSON, BODY), request("BREW", "/nowhere")]
    sent = b"".join(each.replace(b"Connection: close\r\n", b"") for each in kept[:2]) + kept[2]
    received = exchanged(start(slug), sent).decode()
    assert re.findall(r"HTTP/1\.1 (\d+) ", received) == ["200", "201", "404"]


@BOTH
def test_a_client_that_says_nothing_more_gets_its_answers(slug: str, start: Start) -> None:
    service = start(slug)
    create = request("POST", STOCKS, JSON, BODY)
    kept = create.replace(b"Connection: close\r\n", b"")
    for sent, statuses in [
        (create, ["201"]),
        (kept, ["201"]),
        (kept + request("GET", STOCKS), ["201", "200"]),
        (request("POST", STOCKS, CHUNKED) + b"c\r\n" + BODY.encode() + b"\r\n0\r\n\r\n", ["201"]),
        (create[:-1], ["400"]),
        (request("GET", "/health")[:-1], ["400"]),
        (kept + create[:-1], ["201", "400"]),
        (kept + create.replace(b"Host", b"Hosts"), ["201", "400"]),
        (b"", []),
    ]:
        received = exchanged(service, sent, is_last=True).decode()
        assert (sent, re.findall(r"HTTP/1\.1 (\d+) ", received)) == (sent, statuses)


@BOTH
@pytest.mark.parametrize(
    ("sent", "late"),
    [
        (b"", LATE),
        (request("GET", "/health")[:-1], LATE),
        (
            request("POST", STOCKS, f"{JSON}{LENGTH}") + b"{",
            LATE._replace(problem=LATE.problem.replace('""', f'"{STOCKS}"')),
        ),
    ],
    ids=["no head", "half a head", "half a body"],
)
def test_a_request_that_does_not_arrive_in_time_is_cut_off(
    slug: str, sent: bytes, late: Reply, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    with running(slug, build(slug), postgres, tmp_path, environment={"LOOM_REQUEST_SECONDS": "1"}) as service:
        assert reply(exchanged(service, sent)) == late


@BOTH
def test_a_request_that_arrives_byte_by_byte_is_cut_off_all_the_same(
    slug: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    head = request("POST", STOCKS, f"{JSON}Content-Length: 1000\r\n").replace(b"Connection: close\r\n", b"")
    with running(slug, build(slug), postgres, tmp_path, environment={"LOOM_REQUEST_SECONDS": "1"}) as service:
        for at_once in (0, len(head)):
            with socket.create_connection(("127.0.0.1", service.port), timeout=LONGEST) as connection:
                connection.sendall(head[:at_once])
                with pytest.raises((BrokenPipeError, ConnectionResetError)):
                    for _ in range(1000):
                        connection.sendall(b"A")
                        time.sleep(0.05)


@BOTH
def test_a_body_that_nobody_reads_does_not_keep_the_connection(slug: str, start: Start) -> None:
    sent = request("POST", "/nowhere", f"{JSON}Content-Length: 100\r\n").replace(b"Connection: close\r\n", b"")
    assert reply(exchanged(start(slug), sent + b"{")) == no_route("/nowhere")


@BOTH
def test_a_client_that_goes_away_in_its_body_is_no_fault_of_the_service(slug: str, start: Start) -> None:
    service = start(slug)
    with socket.create_connection(("127.0.0.1", service.port), timeout=LONGEST) as connection:
        connection.sendall(request("POST", STOCKS, f"{JSON}Content-Length: 100\r\n") + b'{"wei')
    exchanged(service, request("GET", "/health"))
    assert json.loads(service.send("GET", STOCKS).body)["total"] == 0
    counted = service.send("GET", "/metrics").body.decode()
    assert 'kind="internal_error"' not in counted
    assert "BREW" not in counted


@BOTH
def test_methods_that_clients_make_up_are_counted_as_one(slug: str, start: Start) -> None:
    service = start(slug)
    for number in range(3):
        exchanged(service, request(f"BREW{number}", STOCKS))
    counted = service.send("GET", "/metrics").body.decode()
    (line,) = [
        line for line in counted.splitlines() if line.startswith("http_requests_total{") and 'status="405"' in line
    ]
    assert 'method="OTHER"' in line
    assert float(line.rpartition(" ")[2]) == 3
