"""The subcommands of `evenscore`, one module each: the texts of --help, add_arguments and run."""
