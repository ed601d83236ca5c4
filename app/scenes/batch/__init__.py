"""Batch: what statistics of a batch do in training, in evaluation, and where batches change."""

from app.scenes.batch.scene import BatchScene

__all__ = ["BatchScene"]
