"""What tests in a browser share: one browser for each file of tests."""

import pytest

pytest.register_assert_rewrite("tests.web.looking")


@pytest.fixture(scope="module")
def browser():
    looking = pytest.importorskip("tests.web.looking", reason="needs Playwright: pip install playwright")
    looking.sync_api.expect.set_options(timeout=looking.PATIENCE)
    with looking.sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=looking.BROWSER, args=["--no-sandbox"])
        yield found
        found.close()
