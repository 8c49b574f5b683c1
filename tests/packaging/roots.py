"""Asks a model by name from roots that contain next to nothing: whether names are found and https is trusted there.

    unshare --net --mount python3 roots.py PROGRAM FOLDER

Needs root, mounts and a network of its own, in which this file answers as the name server, as a model behind http and as one
behind https, with a certificate of its own making (openssl). Never reaches another machine.
"""

import fcntl
import http.server
import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import threading
from pathlib import Path

NAME = "model.memdir-test.example"


def up_loopback():
    with socket.socket() as any_socket:
        # SIOCSIFFLAGS with IFF_UP and IFF_RUNNING.
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))


def name_server():
    """Answers every question for NAME with 127.0.0.1, all others with "no such name"."""
    asked = []
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def serve():
        while True:
            question, client = server.recvfrom(512)
            labels, at = [], 12
            while question[at]:
                labels.append(question[at + 1 : at + 1 + question[at]].decode())
                at += 1 + question[at]
            kind = struct.unpack(">H", question[at + 1 : at + 3])[0]
            known = ".".join(labels).lower() == NAME
            asked.append(".".join(labels))
            answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes([127, 0, 0, 1]) if known and kind == 1 else b""
            head = question[:2] + struct.pack(">HHHHH", 0x8180 if known else 0x8183, 1, bool(answer), 0, 0)
            server.sendto(head + question[12 : at + 5] + answer, client)

    threading.Thread(target=serve, daemon=True).start()
    return asked


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "ready"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        body = json.dumps({"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def model(certificate=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def certificates(folder):
    """An authority and a certificate of it for NAME: the authority's file, and what a server loads."""

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=memdir test authority")
    openssl("req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", f"/CN={NAME}")
    (folder / "server.ext").write_text(f"subjectAltName=DNS:{NAME}\nbasicConstraints=CA:FALSE\n")
    issuer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
    openssl("x509", "-req", "-in", "server.csr", *issuer, "-extfile", "server.ext", "-out", "server.pem")
    return folder / "ca.pem", (folder / "server.pem", folder / "server.key")


def ask(program, root, address):
    """Runs the test of a model in a root: exit status and everything printed."""
    environment = {"HOME": "/", "OPENAI_API_KEY": "test", "OPENAI_BASE_URL": address}
    environment |= {"MEMDIR_PROVIDER": "openai", "MEMDIR_MODEL": "m"}
    (root / "memory").mkdir(parents=True, exist_ok=True)
    (root / "memory/memdir.yaml").write_text("version: 1\n")
    shutil.copy(program, root / "memdir")

    def enter():
        os.chroot(root)
        os.chdir("/")

    words = ["/memdir", "reflect", "--check-model"]
    run = subprocess.run(words, preexec_fn=enter, env=environment, capture_output=True, text=True, timeout=60)
    return run.returncode, run.stdout + run.stderr


def main():
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    up_loopback()
    asked = name_server()
    authority, certificate = certificates(folder)
    plain, secure = model(), model(certificate)
    resolver = {"etc/resolv.conf": "nameserver 127.0.0.1\n"}
    hosts = {"etc/hosts": f"127.0.0.1 {NAME}\n"}
    trust = {"etc/ssl/certs/ca-certificates.crt": authority.read_text()}
    # What a distribution with another libc, or another version of this one, has there: modules that must not be loaded.
    modules = "hosts: mymachines mdns4_minimal [NOTFOUND=return] resolve [!UNAVAIL=return] files myhostname dns\n"
    foreign = {"etc/nsswitch.conf": modules}
    cases = [
        ("a root with only a resolv.conf", resolver, f"http://{NAME}:{plain}", 0, "answered in"),
        ("a root with only a hosts file", hosts, f"http://{NAME}:{plain}", 0, "answered in"),
        ("an empty root, https with certificates", resolver | trust, f"https://{NAME}:{secure}", 0, "answered in"),
        ("an empty root, https without certificates", resolver, f"https://{NAME}:{secure}", 8, "CA certificates"),
        ("a root that names modules of another system", resolver | foreign, f"http://{NAME}:{plain}", 0, "answered in"),
        ("an empty root, a name that nobody has", resolver, f"http://no.{NAME}:{plain}", 8, "cannot be reached"),
        ("this machine's root, with its C library", None, f"http://{NAME}:{plain}", 0, "answered in"),
    ]
    failed = False
    for number, (what, files, address, status, says) in enumerate(cases):
        root = folder / f"root-{number}"
        root.mkdir()
        if files is None:
            # A view of /, with our resolver; the mount ends with our namespace.
            (folder / "resolv.conf").write_text(resolver["etc/resolv.conf"])
            subprocess.run(["mount", "--bind", folder / "resolv.conf", "/etc/resolv.conf"], check=True)
            for name in ["bin", "etc", "lib", "lib64", "usr"]:
                if Path("/", name).is_dir():
                    (root / name).mkdir()
                    subprocess.run(["mount", "--rbind", f"/{name}", root / name], check=True)
        for path, text in (files or {}).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        before = len(asked)
        found, printed = ask(program, root, f"{address}/v1")
        # Neither a hosts file nor a client without certificates asks the name server.
        looks_up = files != hosts and says != "CA certificates"
        right = found == status and says in printed and (len(asked) > before) == looks_up
        print(f"{what}: {'as it should be' if right else f'WRONG: exit {found}: {printed}'}")
        failed = failed or not right
    sys.exit(failed)


main()
