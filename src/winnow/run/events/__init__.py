"""Chores about events that ask outside services: where a venue is."""
