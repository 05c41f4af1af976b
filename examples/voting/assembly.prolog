% The assembly of the published stream, by number: a thousand agents vote on ten motions,
% and every tenth of them may take the chair. The committee of rules.prolog sits idle.

motion(Motion) :- between(1, 10, Motion).

role_of(Agent, voter) :- between(0, 999, Agent).
role_of(Agent, chair) :- between(0, 99, Tens), Agent is Tens * 10.
