"""How long the normalizers take in the browser's Python, beside the formula of the textbook."""
