"""One module per page, each with its own `@page`. A new module is found by itself."""
