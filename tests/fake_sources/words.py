"""Made-up titles, abstracts and names, drawn by a seed."""

import random

_KINDS = ("sparse", "robust", "quantum", "latent", "adaptive", "stochastic", "causal", "neural", "tidal")
_THINGS = ("estimators", "lattices", "transformers", "galaxies", "policies", "graphs", "kernels", "fields")
_DEEDS = ("bounding", "learning", "measuring", "sampling", "counting", "mapping", "training", "folding")
_ENDS = ("under noise", "at scale", "with few labels", "in the wild", "by hand", "over time", "from afar")
_FAMILIES = ("Quillfeather", "Ostrander", "Lévy", "Nakadai", "Iršič", "Brandwijk", "Achterberg", "Moyo")
_GIVEN = ("Ada", "Bero", "Ciel", "Dunja", "Emre", "Femi", "Gudrun", "Hiro")
_SENTENCES = (
    "We study {deed} {kind} {thing} {end}.",
    "The usual way of {deed} {thing} fails when the data are {kind}.",
    "Our bound holds for all $n<m$ and needs no {kind} {thing}.",
    "On three made-up collections the {kind} variant wins by {number} per cent.",
    "R&D budgets limit how far {thing} can be pushed {end}.",
)


def title(rng: random.Random, number: int) -> str:
    """A title that no other paper of the world has, since it ends in the paper's number."""
    deed, kind, thing = rng.choice(_DEEDS), rng.choice(_KINDS), rng.choice(_THINGS)
    return f"{deed.capitalize()} {kind} {thing} {rng.choice(_ENDS)}, part {number}"


def abstract(rng: random.Random) -> str:
    return " ".join(
        rng.choice(_SENTENCES).format(
            deed=rng.choice(_DEEDS),
            kind=rng.choice(_KINDS),
            thing=rng.choice(_THINGS),
            end=rng.choice(_ENDS),
            number=rng.randint(2, 40),
        )
        for _ in range(rng.randint(3, 6))
    )


def authors(rng: random.Random) -> tuple[tuple[str, str], ...]:
    """One to four names as (given, family)."""
    return tuple((rng.choice(_GIVEN), rng.choice(_FAMILIES)) for _ in range(rng.randint(1, 4)))
