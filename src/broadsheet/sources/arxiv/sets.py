"""The names of arXiv's sets in OAI-PMH."""

_GROUPS = frozenset({"cs", "econ", "eess", "math", "q-bio", "q-fin", "stat", "physics"})


def set_spec(category: str) -> str:
    """The set of a category or archive: its group, then the archive, then the subject.

    >>> [set_spec(name) for name in ("cs.LG", "cs", "astro-ph.GA", "hep-th")]
    ['cs:cs:LG', 'cs', 'physics:astro-ph:GA', 'physics:hep-th']
    """
    archive, _, subject = category.partition(".")
    if archive in _GROUPS:
        return f"{archive}:{archive}:{subject}" if subject else archive
    return f"physics:{archive}:{subject}" if subject else f"physics:{archive}"
