"""Other tools on the same questions: installed in an environment of their own, compared by their answers, then timed."""
