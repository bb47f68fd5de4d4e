"""Finding papers for a query: the query language, words, vectors, their fusion, encoders and the index."""
