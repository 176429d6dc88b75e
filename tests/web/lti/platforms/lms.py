"""The thin server around a platform: a course page with a frame, and the services, answered by a library in a class
beside this. Runs in the environment of the platforms, so it imports none of our own packages.

`python <platform>.py PORT FILE`: FILE holds what the platform knows, as JSON, and what it was sent.
"""

import html
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

FORM = """<!DOCTYPE html><title>LMS</title><form method="post" action="{}">{}</form><script>document.forms[0].submit()
</script>"""

COURSE = '<title>LMS</title><h1>Course</h1><iframe title="tool" src="/start?{}" width=900 height=700></iframe>'


class Refused(Exception):
    def __init__(self, status, why=""):
        super().__init__(why)
        self.status = status


class Lms:
    """What every platform does. A class beside this says how a library does it."""

    def __init__(self, port, file):
        self.file, self.address = Path(file), f"http://127.0.0.1:{port}"
        self.known = json.loads(self.file.read_text())
        for name, empty in (("items", []), ("scores", []), ("chosen", [])):
            self.known.setdefault(name, empty)

    def keep(self):
        self.file.write_text(json.dumps(self.known))

    def member(self, id_):
        return next(each for each in self.known["members"] if each["id"] == id_)

    def asked(self, method, path, query, form, body, headers):
        """The status, the type and the body of the answer."""
        if path == "/course":
            start = f"/start?{'&'.join(f'{name}={value}' for name, value in query.items())}"
            return (
                200,
                "text/html",
                f'<title>LMS</title><h1>Course</h1><iframe title="tool" src="{start}" width=900 height=700></iframe>',
            )
        if path == "/start":
            return (
                302,
                self.preflight(self.member(query["user"]), query.get("deep") == "1", query.get("assignment", "")),
                "",
            )
        if path == "/auth":
            target, fields = self.launch({**query, **form})
            inputs = "".join(f'<input name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
            return 200, "text/html", FORM.format(html.escape(target), inputs)
        if path == "/keys":
            return 200, "application/json", json.dumps(self.keys())
        if path == "/token":
            return 200, "application/json", json.dumps(self.token(form))
        if path == "/chosen":
            self.known["chosen"] += self.chosen(form["JWT"])
            self.keep()
            return 200, "text/html", "<h1>Added</h1>"
        return self.service(method, path, query, body, headers)


def serve(kind):
    """Answer until the process ends."""
    lms = kind(int(sys.argv[1]), sys.argv[2])

    class Handler(BaseHTTPRequestHandler):
        def _answer(self):
            parts, body = urlsplit(self.path), self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            form = dict(parse_qsl(body)) if "urlencoded" in self.headers.get("Content-Type", "") else {}
            link = ""
            try:
                status, media, text, *more = lms.asked(
                    self.command, parts.path, dict(parse_qsl(parts.query)), form, body, self.headers
                )
                link = more[0] if more else ""
            except Refused as error:
                status, media, text = error.status, "text/plain", str(error)
            content = text.encode()
            self.send_response(status)
            self.send_header("Location" if status == 302 else "Content-Type", media)
            if link:
                self.send_header("Link", link)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("listening", flush=True)
    server.serve_forever()
