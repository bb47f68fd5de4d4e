"""Making an encoder's folder of what was published: weights or a ready graph, and what its files say."""
