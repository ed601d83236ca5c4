"""How long normalizers take on this very device: NumPy beside WebGPU, size by size."""
