"""The words of the `evenscore` command, a module each."""
