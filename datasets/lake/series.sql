-- A year of days with moving averages over rows.
with days as (
    select order_date, sum(order_amount) as revenue, count(distinct order_id) as orders,
           count(distinct customer_id) as customers, round(avg(order_amount), 2)::decimal(10,2) as order_value
    from gold.orders
    where order_date > (select max(order_date) - 365 from gold.orders)
    group by order_date)
select order_date, revenue, orders, customers, order_value,
       round(avg(revenue) over (order by order_date rows between 6 preceding and current row), 2)::decimal(12,2) as average_7,
       round(avg(revenue) over (order by order_date rows between 29 preceding and current row), 2)::decimal(12,2) as average_30,
       round(stddev_samp(revenue) over (order by order_date rows between 29 preceding and current row)::decimal(18,6),
             2)::decimal(12,2) as deviation_30,
       extract(dow from order_date)::int as weekday, extract(month from order_date)::int as month
from days
order by order_date;
