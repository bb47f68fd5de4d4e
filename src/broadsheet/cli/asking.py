"""The one question that a first run asks: what to follow."""

import sys

import click

from broadsheet.api import readers
from broadsheet.api.home import Home
from broadsheet.errors import UsageError

ARCHIVES = {
    "astro-ph": "Astrophysics",
    "cond-mat": "Condensed Matter",
    "cs": "Computer Science",
    "econ": "Economics",
    "eess": "Electrical Engineering and Systems Science",
    "gr-qc": "General Relativity and Quantum Cosmology",
    "hep-ex": "High Energy Physics: Experiment",
    "hep-lat": "High Energy Physics: Lattice",
    "hep-ph": "High Energy Physics: Phenomenology",
    "hep-th": "High Energy Physics: Theory",
    "math": "Mathematics",
    "math-ph": "Mathematical Physics",
    "nlin": "Nonlinear Sciences",
    "nucl-ex": "Nuclear Experiment",
    "nucl-th": "Nuclear Theory",
    "physics": "Physics",
    "q-bio": "Quantitative Biology",
    "q-fin": "Quantitative Finance",
    "quant-ph": "Quantum Physics",
    "stat": "Statistics",
}


def can_ask() -> bool:
    """Whether a person sits at the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_what_to_follow(home: Home) -> None:
    """Offer the archives by name and follow what is answered; without a terminal, say what to run."""
    if not can_ask():
        raise UsageError(
            "Nothing is followed yet, so there is nothing to harvest.",
            "Run 'broadsheet follow --category cs.LG' (or another category or archive) first.",
        )
    click.echo("What do you follow? arXiv's archives:", err=True)
    for archive, name in ARCHIVES.items():
        click.echo(f"  {archive:10} {name}", err=True)
    answer = click.prompt("Archives or categories (such as cs.LG astro-ph), separated by spaces", err=True)
    readers.follow(home, {"category": tuple(answer.split())}, "me", wanted=True, remove=False)
