"""Pictures of programs, results and maps."""
