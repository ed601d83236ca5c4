"""What the Models scene shows, without Panel: texts of the cells, order, and what a click opens."""
