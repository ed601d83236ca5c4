"""What scenes draw with."""
