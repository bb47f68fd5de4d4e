"""The pages on loopback: they ask the verbs for documents and print them as HTML, without scripts."""
