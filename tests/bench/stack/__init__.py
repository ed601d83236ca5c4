"""How long the deep stack and the tiny model's training take in the browser's Python."""
