room(attic).
closed(attic).
