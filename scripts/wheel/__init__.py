"""posenc compares position encodings for transformers on chess and shogi. The program is `posenc`, or `python -m posenc`."""
