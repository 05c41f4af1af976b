initiatedAt(light(L)=red, T) :- happensAt(switch_on(L), T).
fi(light(L)=red, light(L)=green, R) :- red_phase(L, R).
fi(light(L)=green, light(L)=red, 20).
red_phase(main_street, 30).
