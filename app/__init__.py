"""Normscope's application: state, scenes and views, in the browser's Python."""
