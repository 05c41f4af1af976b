"""Each bug that is planted in a part of metric programs is found by the property that is there for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, settings

from tests.mutation.bugs_of_metric import METRIC_BUGS, MetricBug

_SETTINGS = "_hypothesis_internal_use_settings"


@pytest.mark.slow
@pytest.mark.parametrize("bug", METRIC_BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_found(bug: MetricBug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    # That it is found is enough: no example has to be made smaller.
    chosen = settings(getattr(bug.found_by, _SETTINGS, settings.default), phases=[Phase.generate])
    monkeypatch.setattr(bug.found_by, _SETTINGS, chosen, raising=False)
    with np.errstate(all="ignore"), pytest.raises(BaseException):  # noqa: B017 -- whatever a property raises
        bug.found_by()
