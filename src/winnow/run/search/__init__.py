"""Chores of search."""
