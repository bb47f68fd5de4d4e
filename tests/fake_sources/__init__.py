"""A made-up world of sources, served over real HTTP in the sources' own wire forms."""
