"""The words; `generate.py` writes those that follow from the code."""
