"""Prints one line per check and counts; a check fails by raising."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable


class Report:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    async def check(self, title: str, run: Callable[[], Awaitable[None]], seconds: float = 15) -> None:
        """Runs one check within its time."""
        try:
            await asyncio.wait_for(run(), seconds)
        except Exception as error:  # noqa: BLE001 - whatever it is, the check has failed
            self.failed += 1
            last = traceback.extract_tb(error.__traceback__)[-1]
            print(f"not ok  {title}: {error!r} ({last.filename}:{last.lineno} {last.line})")
        else:
            self.passed += 1
            print(f"ok      {title}")

    def close(self) -> int:
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
