"""What the Softmax scene shows, without Panel: numbers, steps, curves and sentences."""
