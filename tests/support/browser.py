"""A headless Chromium that reads and uses a page as people do: by what it says."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

PROGRAMS = ("chromium", "chromedriver")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
# How long a page on a busy machine may take to answer.
_PATIENCE = 60
_MOST_STOPS = 60
# Results appear part by part, and each part moves those below it.  A click meanwhile is lost, because it is pressed in
# one place and released in another.  People take longer than this to aim at what has appeared.
_STILL = """
const [done] = arguments;
let timer;
const wait = () => { clearTimeout(timer); timer = setTimeout(() => { observer.disconnect(); done(); }, 500); };
const observer = new MutationObserver(wait);
observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
wait();
"""
_NAMES_OF_ACTIVE = """
const active = document.activeElement;
const labels = [...(active.labels || [])].flatMap(label => [...label.querySelectorAll("span")]);
return [active.ariaLabel, active.innerText?.split("\\n")[0], ...labels.map(label => label.innerText)];
"""


class Browser:
    """One page, in a profile of its own."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self._driver = driver
        driver.set_script_timeout(_PATIENCE)
        self._wait = WebDriverWait(driver, _PATIENCE, 0.05, [StaleElementReferenceException])

    def open(self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Show the address in a window of that size, in CSS pixels, to a reader whose system is light or dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        preferred = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [preferred]})
        self._driver.get(url)

    def button(self, name: str) -> WebElement:
        """The button, or tab, that has this name."""
        return self._shown(f"//button[normalize-space()='{name}' or span[normalize-space()='{name}']]")

    def box(self, label: str) -> WebElement:
        """What one types in under that label."""
        box = "//*[self::textarea or self::input]"
        return self._shown(f"//label[.//span[normalize-space()='{label}']]{box} | {box}[@aria-label='{label}']")

    def type(self, label: str, text: str) -> None:
        """Type into a box, in place of what it holds."""
        self.box(label).send_keys(Keys.CONTROL + "a" + Keys.NULL + text)

    def choose(self, label: str, choice: str) -> None:
        """Take one of the choices that a box offers."""
        self.box(label).click()
        self._shown(f"//*[@role='option'][@aria-label='{choice}']").click()

    def tab_to(self, name: str) -> None:
        """Press the tabulator until what has this name can be used."""
        for _ in range(_MOST_STOPS):
            self.press(Keys.TAB)
            if name in self.script(_NAMES_OF_ACTIVE):
                return
        raise AssertionError(f"the keyboard does not reach {name!r}")

    def press(self, keys: str) -> None:
        """Press keys, wherever one is."""
        ActionChains(self._driver).send_keys(keys).perform()

    def upload(self, *paths: Path) -> None:
        """Give files to the page's only place for them."""
        self._found("//input[@type='file']").send_keys("\n".join(map(str, paths)))

    def until(self, look: Callable[[], Any]) -> Any:
        """What is seen, once it is something; an error if it takes too long."""
        return self._wait.until(lambda _: look())

    def text(self, css: str) -> str:
        """What can be read in an element, once it is there."""
        return self.until(lambda: self._first_text(css))

    def until_text(self, css: str, part: str) -> str:
        """The same, once it holds this part."""
        return self.until(lambda: text if part in (text := self._first_text(css)) else "")

    def until_other_text(self, css: str, text: str) -> str:
        """The same, once it is no longer this one."""
        return self.until(lambda: other if (other := self._first_text(css)) != text else "")

    def until_still(self) -> None:
        """Wait until nothing on the page has changed for half a second."""
        self._driver.execute_async_script(_STILL)

    def until_value(self, label: str, value: str) -> None:
        """Wait until a box holds this."""
        self.until(lambda: self.box(label).get_attribute("value") == value)

    def elements(self, css: str) -> list[WebElement]:
        """What is on the page now."""
        return self._driver.find_elements(By.CSS_SELECTOR, css)

    def nameless(self, roles: Collection[str]) -> list[str]:
        """The roles of what a screen reader finds no name for, among these."""
        nodes = self._driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        found = [node for node in nodes if not node["ignored"] and node["role"]["value"] in roles]
        assert found, "nothing has such a role"
        return [node["role"]["value"] for node in found if not node["name"]["value"].strip()]

    def script(self, program: str) -> Any:
        """What a program of the page returns."""
        return self._driver.execute_script(program)

    def foreign_requests(self, url: str) -> list[str]:
        """What the page asked others for than its own server."""
        names = self.script("return performance.getEntriesByType('resource').map(entry => entry.name)")
        own = urlsplit(url).netloc
        return [name for name in names if urlsplit(name).netloc not in ("", own)]

    def screenshot(self, path: Path) -> None:
        """A picture of the whole page, to look at."""
        height = self.script("return document.documentElement.scrollHeight")
        width = self.script("return window.innerWidth")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self._driver.save_screenshot(str(path))

    def _first_text(self, css: str) -> str:
        found = self._driver.find_elements(By.CSS_SELECTOR, css)
        return found[0].text if found else ""

    def _shown(self, xpath: str) -> WebElement:
        return self.until(lambda: next((each for each in self._all(xpath) if each.is_displayed()), None))

    def _found(self, xpath: str) -> WebElement:
        return self.until(lambda: next(iter(self._all(xpath)), None))

    def _all(self, xpath: str) -> list[WebElement]:
        return self._driver.find_elements(By.XPATH, xpath)


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser that ends with the block; profile: an empty folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
