"""A headless Chromium of the machine's own, as the people who open approval links have one."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP = (1280, 900)
PHONE = (390, 844)


@contextmanager
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, NAMES)), None)
    assert path, "there is no Chromium: `make browser` installs it"
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's sandbox refuses root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *sandbox])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(browser: Browser, *, size: tuple[int, int] = DESKTOP, scripts: bool = True) -> Iterator[Page]:
    """A page with cookies of its own; whatever the browser complains about fails the test."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, java_script_enabled=scripts)
    complaints: list[str] = []
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("requestfailed", lambda request: complaints.append(f"{request.url} failed"))
    try:
        yield page
        # A status that says the truth about a closed request is logged by the browser as a failed load.
        assert [text for text in complaints if "status of 4" not in text] == []
    finally:
        context.close()
