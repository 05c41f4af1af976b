"""Gaps and islands in SQL, as DuckDB and Spark read it.

For DuckDB, running maxima of packed times, a join of two lists of intervals, and one order without partitions were tried
too. The last took a little less processor time, but runs on one thread; the others took longer.
"""

QUERY = """
with states as (
  select vessel, time,
    coalesce(last_value(case when kind = 0 then speed > 8 end) ignore nulls over turns, false)
    and coalesce(last_value(case when kind <> 0 then kind = 1 end) ignore nulls over turns, false) as is_on
  from {source}
  window turns as (partition by vessel order by time rows between unbounded preceding and current row)
), marked as (
  select vessel, time, is_on, lag(is_on, 1, false) over (partition by vessel order by time) as was_on from states
), changes as (
  select vessel, time, is_on, lead(time) over (partition by vessel order by time) as until
  from marked where is_on <> was_on
)
select vessel, time + 1 as `start`, until + 1 as `end` from changes where is_on
"""
