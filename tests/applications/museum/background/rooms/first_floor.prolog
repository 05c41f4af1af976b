room(gallery).
room(hall).
