#!/bin/bash
# pgjdbc, from Debian's libpostgresql-jdbc-java.
exec java -cp "${JDBC_JAR:-/usr/share/java/postgresql.jar}" JdbcClient.java
