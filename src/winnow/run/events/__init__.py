"""Chores about events that ask outside services: where a venue is, and how a changed agenda is read."""
