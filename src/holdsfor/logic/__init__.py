"""A small logic core: unification, arithmetic, term order, library predicates, and a solver.

The compiler uses it to evaluate background knowledge, the reference evaluator to run rules literally.
"""
