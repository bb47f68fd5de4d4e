"""One harvest of a source other than arXiv."""

from broadsheet.daily.plans import OtherPlan, Run, Span
from broadsheet.papers import AnnouncementCount


def harvest_other(run: Run, plan: OtherPlan, span: Span) -> list[AnnouncementCount]:
    """Take in what a source posted or featured; the rows of all days touched."""
    return []
