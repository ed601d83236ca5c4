"""What the Batch scene computes, one module a story: values in, values out, nothing drawn."""
