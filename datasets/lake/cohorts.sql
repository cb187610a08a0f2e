-- Customers by the month of their first order, and what becomes of them.
with first_orders as (
    select customer_id, date_trunc('month', min(order_date))::date as cohort_month
    from gold.orders
    where order_date >= '2024-01-01'
    group by customer_id),
monthly as (
    select customer_id, date_trunc('month', order_date)::date as order_month, sum(order_amount) as revenue
    from gold.orders
    where order_date >= '2024-01-01'
    group by 1, 2),
cohorts as (
    select f.cohort_month, m.order_month, count(distinct m.customer_id) as customers, sum(m.revenue) as revenue
    from first_orders f
    join monthly m on m.customer_id = f.customer_id
    group by 1, 2)
select cohort_month, order_month, datediff(month, cohort_month, order_month) as months, customers, revenue,
       round(100.0 * customers / first_value(customers) over (
           partition by cohort_month order by order_month rows between unbounded preceding and unbounded following),
           2)::decimal(6,2) as retention
from cohorts
order by cohort_month, order_month;
