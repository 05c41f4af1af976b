"""From raw ship positions to situations: generated AIS data, signals made from it, and rules over those.

Needs the extra `maritime` (Spark, shapely, h3).
"""
