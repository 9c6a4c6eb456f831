"""Console pages, one module each, in a folder per subject; every `@page` below is found at start-up."""
