"""What the Placement scene works out, without a page: runs, curves and sentences."""
