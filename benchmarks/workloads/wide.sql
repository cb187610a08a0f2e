-- Queries in the way of ClickBench over `hits`, a table of 100 columns with skewed strings that workloads.py makes.
-- count_all
select count(*) as n from hits
-- count_filtered
select count(*) as n from hits where adv_engine_id <> 0
-- three_aggregates
select sum(adv_engine_id) as s, count(*) as n, avg(resolution_width) as a from hits
-- sum_user
select sum(user_id) as a from hits
-- distinct_users
select count(distinct user_id) as n from hits
-- distinct_phrases
select count(distinct search_phrase) as n from hits
-- first_last_day
select min(event_date) as a, max(event_date) as b from hits
-- adv_engines
select adv_engine_id, count(*) as n from hits where adv_engine_id <> 0 group by 1 order by 2 desc, 1
-- region_users
select region_id, count(distinct user_id) as u from hits group by 1 order by 2 desc, 1 limit 10
-- region_mixed
select region_id, sum(adv_engine_id) as s, count(*) as n, avg(resolution_width) as a, count(distinct user_id) as u
from hits group by 1 order by 3 desc, 1 limit 10
-- model_users
select mobile_model, count(distinct user_id) as u from hits where mobile_model <> '' group by 1 order by 2 desc, 1 limit 10
-- phone_model_users
select mobile_phone, mobile_model, count(distinct user_id) as u from hits where mobile_model <> ''
group by 1, 2 order by 3 desc, 1, 2 limit 10
-- phrase_count
select search_phrase, count(*) as n from hits where search_phrase <> '' group by 1 order by 2 desc, 1 limit 10
-- phrase_users
select search_phrase, count(distinct user_id) as u from hits where search_phrase <> '' group by 1 order by 2 desc, 1 limit 10
-- engine_phrase
select search_engine_id, search_phrase, count(*) as n from hits where search_phrase <> ''
group by 1, 2 order by 3 desc, 1, 2 limit 10
-- user_count
select user_id, count(*) as n from hits group by 1 order by 2 desc, 1 limit 10
-- user_phrase
select user_id, search_phrase, count(*) as n from hits group by 1, 2 order by 3 desc, 1, 2 limit 10
-- user_minute_phrase
select user_id, extract(minute from event_time) as m, search_phrase, count(*) as n from hits
group by 1, 2, 3 order by 4 desc, 1, 2, 3 limit 10
-- one_user
select user_id, event_time, url from hits where user_id = 777 order by event_time, url limit 20
-- url_like_count
select count(*) as n from hits where url like '%shop%'
-- url_like_phrase
select search_phrase, min(url) as u, count(*) as n from hits where url like '%shop%' and search_phrase <> ''
group by 1 order by 3 desc, 1 limit 10
-- title_like_not
select search_phrase, min(url) as u, min(title) as t, count(*) as n, count(distinct user_id) as d from hits
where title like '%winter%' and url not like '%.shop.%' and search_phrase <> '' group by 1 order by 4 desc, 1 limit 10
-- like_order_all_columns
select * from hits where url like '%cart%' order by event_time, event_id limit 10
-- phrase_by_time
select search_phrase, event_time from hits where search_phrase <> '' order by event_time, event_id limit 10
-- phrase_sorted
select search_phrase from hits where search_phrase <> '' order by search_phrase limit 10
-- counter_url_length
select counter_id, avg(length(url)) as l, count(*) as n from hits where url <> '' group by 1
having count(*) > 1000 order by 2 desc, 1 limit 25
-- referer_domain
select split_part(referer, '/', 3) as k, avg(length(referer)) as l, count(*) as n, min(referer) as m from hits
where referer <> '' group by 1 having count(*) > 100 order by 3 desc, 1 limit 25
-- ninety_sums
select {ninety_sums} from hits
-- engine_address
select search_engine_id, client_ip, count(*) as n, sum(is_refresh) as r, avg(resolution_width) as a from hits
where search_phrase <> '' group by 1, 2 order by 3 desc, 1, 2 limit 10
-- watch_address
select event_id, client_ip, count(*) as n, sum(is_refresh) as r, avg(resolution_width) as a from hits
group by 1, 2 order by 3 desc, 1, 2 limit 10
-- url_count
select url, count(*) as n from hits group by 1 order by 2 desc, 1 limit 10
-- url_count_constant
select 1 as one, url, count(*) as n from hits group by 1, 2 order by 3 desc, 2 limit 10
-- address_variants
select client_ip, client_ip - 1 as b, client_ip - 2 as c, client_ip - 3 as d, count(*) as n from hits
group by 1, 2, 3, 4 order by 5 desc, 1 limit 10
-- page_views
select url, count(*) as n from hits where counter_id = 3 and event_date between date '2026-03-01' and date '2026-05-31'
  and is_refresh = 0 and url <> '' group by 1 order by 2 desc, 1 limit 10
-- traffic_sources
select traffic_source, search_engine_id, adv_engine_id,
  case when search_engine_id = 0 and adv_engine_id = 0 then referer else '' end as src, url as dst, count(*) as n
from hits where counter_id = 3 group by 1, 2, 3, 4, 5 order by 6 desc, 1, 2, 3, 4, 5 limit 10 offset 100
-- minutes
select date_trunc('minute', event_time) as m, count(*) as n from hits
where counter_id = 3 and event_date between date '2026-03-14' and date '2026-03-20' group by 1 order by 1 limit 10 offset 100
-- hour_day_matrix
select extract(dow from event_date) as d, extract(hour from event_time) as h, count(*) as n, count(distinct user_id) as u
from hits group by 1, 2 order by 1, 2
-- nullable_sums
select os_id, count(n01) as a, sum(n01) as b, avg(n02) as c, max(s05) as d from hits group by 1 order by 2 desc, 1
-- session_gaps
select count(*) as n from (
  select user_id, event_time, lag(event_time) over (partition by user_id order by event_time, event_id) as before from hits) t
where before is null or event_time > before + interval '30 minutes'
-- price_bands
select case when price < 1 then 'a' when price < 10 then 'b' when price < 100 then 'c' else 'd' end as band,
  count(*) as n, sum(price) as s, avg(duration) as a from hits group by 1 order by 1
-- two_strings
select s01, s02, count(*) as n from hits group by 1, 2 order by 3 desc, 1, 2 limit 10
-- string_join
select count(*) as n from hits a, (select search_phrase as p, max(region_id) as r from hits where search_phrase <> ''
  group by 1 having count(*) > 3) b where a.search_phrase = b.p and a.region_id <> b.r
-- double_average
select counter_id, avg(score) as a, stddev_samp(score) as s from hits group by 1 order by 1 limit 20
