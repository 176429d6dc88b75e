"""The web process: gunicorn, serving requests in threads."""

from typing import Any

from gunicorn.app.base import BaseApplication

from deploy.settings import Settings
from deploy.wsgi import make_site

GRACE_S = 3  # for requests that are being answered when the process is asked to stop


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn is not typed
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        super().__init__()

    def load_config(self) -> None:
        for name, value in options(self.settings).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return make_site(self.settings)


def options(settings: Settings) -> dict[str, Any]:
    """Gunicorn's. One process: requests are short, and the counters of the request limits stay in one place."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}",
        "workers": 1,
        "worker_class": "gthread",
        "threads": settings.web_threads,
        "graceful_timeout": GRACE_S,
        "loglevel": "warning",
        "control_socket_disable": True,
    }


def run_site(settings: Settings) -> None:
    """Serve requests until SIGTERM."""
    _Server(settings).run()
