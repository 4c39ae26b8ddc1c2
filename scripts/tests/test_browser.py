"""Chromium has a window only if there is a screen and a window is requested. Checks have none."""

import os
import pathlib
import sys
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "pages"))
import browser  # noqa: E402


class WindowTests(unittest.TestCase):
    def test_a_window_is_there_only_if_it_is_asked_for(self):
        self.assertIn("--headless=new", browser.Browser().options)
        self.assertIn("--headless=new", browser.Browser("--mute-audio").options)
        shown = browser.Browser("--mute-audio", window=True).options
        self.assertNotIn("--headless=new", shown)
        self.assertIn("--mute-audio", shown)

    def test_a_screen_is_what_the_desktop_names(self):
        for named, expected in [
            ({}, False), ({"DISPLAY": ""}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ]:
            with unittest.mock.patch.dict(os.environ, named, clear=True):
                self.assertEqual(browser.has_screen(), expected, named)


if __name__ == "__main__":
    unittest.main()
