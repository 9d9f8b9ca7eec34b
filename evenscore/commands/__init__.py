"""The words of the `evenscore` command, a module each: what --help says, add_arguments, run."""
