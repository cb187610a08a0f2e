import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.time.*;
import java.util.*;

/** pgjdbc against a server: what a program in Java does with a warehouse. Ends with an exception when something differs. */
public final class JdbcClient {
    static final String PLACE = "jdbc:postgresql://127.0.0.1:" + System.getenv("REDBARN_PORT") + "/dev?user=dev&password=any";

    static void check(Object wanted, Object got, String what) {
        if (!Objects.equals(wanted, got)) throw new AssertionError(what + ": expected " + wanted + ", got " + got);
    }

    static String state(SQLAction action) throws Exception {
        try {
            action.run();
        } catch (SQLException error) {
            return error.getSQLState();
        }
        return "no error";
    }

    interface SQLAction { void run() throws Exception; }

    static final String[] TYPES = {
        "boolean", "smallint", "integer", "bigint", "real", "double precision", "decimal(10,2)", "decimal(38,10)",
        "varchar(80)", "char(4)", "date", "timestamp", "timestamptz", "time"};
    static final Object[] VALUES = {
        true, -32768, Integer.MAX_VALUE, Long.MIN_VALUE, 1.5f, 0.1, new BigDecimal("-1234.50"),
        new BigDecimal("1234567890123456789012345678.0123456789"), "Grüße, 世界 🌍 'quoted' \\ \"", "ab  ",
        LocalDate.of(2024, 2, 29), LocalDateTime.of(1999, 12, 31, 23, 59, 59, 123456000),
        OffsetDateTime.of(2020, 6, 1, 12, 0, 0, 0, ZoneOffset.UTC), LocalTime.of(1, 2, 3)};

    static void types(Connection connection, String options) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("drop table if exists t_jdbc");
            StringJoiner columns = new StringJoiner(", ");
            for (int i = 0; i < TYPES.length; i++) columns.add("c" + i + " " + TYPES[i]);
            statement.execute("create table t_jdbc (id int not null primary key, " + columns + ") distkey(id) sortkey(id)");
        }
        String marks = ", ?".repeat(TYPES.length);
        try (PreparedStatement insert = connection.prepareStatement("insert into t_jdbc values (?" + marks + ")")) {
            // More than five times, so that the driver turns to named statements and binary forms.
            for (int id = 1; id <= 10; id++) {
                insert.setInt(1, id);
                for (int i = 0; i < VALUES.length; i++) insert.setObject(i + 2, VALUES[i]);
                check(1, insert.executeUpdate(), "insert");
            }
            int[] kinds = {Types.BIT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.REAL, Types.DOUBLE, Types.NUMERIC,
                Types.NUMERIC, Types.VARCHAR, Types.CHAR, Types.DATE, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE, Types.TIME};
            insert.setInt(1, 11);
            for (int i = 0; i < kinds.length; i++) insert.setNull(i + 2, kinds[i]);
            insert.executeUpdate();
            for (int id = 12; id < 20; id++) {
                insert.setInt(1, id);
                for (int i = 0; i < VALUES.length; i++) insert.setObject(i + 2, VALUES[i]);
                insert.addBatch();
            }
            check(8, insert.executeBatch().length, "batch");
        }
        try (PreparedStatement select = connection.prepareStatement("select * from t_jdbc where id >= ? order by id")) {
            for (int round = 0; round < 8; round++) {
                select.setInt(1, 10);
                try (ResultSet rows = select.executeQuery()) {
                    check(true, rows.next(), "row");
                    for (int i = 0; i < VALUES.length; i++) {
                        Object got = VALUES[i] instanceof Integer ? (Object) rows.getInt(i + 2)
                            : rows.getObject(i + 2, VALUES[i].getClass());
                        check(VALUES[i], got, TYPES[i] + " in round " + round + options);
                    }
                    check(true, rows.next(), "second row");
                    for (int i = 0; i < VALUES.length; i++) check(null, rows.getObject(i + 2), "NULL of " + TYPES[i]);
                }
            }
            ResultSetMetaData facts = select.getMetaData();
            check("c7", facts.getColumnName(9), "name");
            check("numeric", facts.getColumnTypeName(9), "type");
            check(38, facts.getPrecision(9), "precision");
            check(10, facts.getScale(9), "scale");
            check(80, facts.getPrecision(10), "length");
        }
    }

    static void metadata(Connection connection) throws Exception {
        DatabaseMetaData facts = connection.getMetaData();
        check("8.0.2", facts.getDatabaseProductVersion(), "version");
        check("t_jdbc", all(facts.getTables(null, "public", "t\\_jdbc", new String[] {"TABLE"}), "TABLE_NAME"), "tables");
        List<String> columns = new ArrayList<>();
        try (ResultSet rows = facts.getColumns(null, "public", "t\\_jdbc", null)) {
            while (rows.next()) columns.add(rows.getString("COLUMN_NAME") + " " + rows.getString("TYPE_NAME") + " "
                + rows.getInt("COLUMN_SIZE") + " " + rows.getInt("DECIMAL_DIGITS") + " " + rows.getString("IS_NULLABLE"));
        }
        check("id int4 10 0 NO", columns.get(0), "column");
        check("c6 numeric 10 2 YES", columns.get(7), "column");
        check("c8 varchar 80 0 YES", columns.get(9), "column");
        check(TYPES.length + 1, columns.size(), "columns");
        check("id", all(facts.getPrimaryKeys(null, "public", "t_jdbc"), "COLUMN_NAME"), "primary key");
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists t_jdbc_f (id int, other int references t_jdbc (id))");
        }
        check("t_jdbc.id", all(facts.getImportedKeys(null, "public", "t_jdbc_f"), "PKTABLE_NAME") + "."
            + all(facts.getImportedKeys(null, "public", "t_jdbc_f"), "PKCOLUMN_NAME"), "imported keys");
        check("t_jdbc_f", all(facts.getExportedKeys(null, "public", "t_jdbc"), "FKTABLE_NAME"), "exported keys");
        check("id", all(facts.getIndexInfo(null, "public", "t_jdbc", true, true), "COLUMN_NAME"), "keys as indexes");
        try (Statement statement = connection.createStatement()) {
            statement.execute("drop table t_jdbc_f");
        }
        String schemas = all(facts.getSchemas(), "TABLE_SCHEM");
        check(true, schemas.contains("public") && schemas.contains("pg_catalog"), "schemas " + schemas);
        check("dev", all(facts.getCatalogs(), "TABLE_CAT"), "catalogs");
        for (ResultSet rows : new ResultSet[] {
            facts.getTypeInfo(), facts.getImportedKeys(null, "public", "t_jdbc"), facts.getTableTypes(),
            facts.getExportedKeys(null, "public", "t_jdbc"), facts.getIndexInfo(null, "public", "t_jdbc", false, true),
            facts.getFunctions(null, null, "%"), facts.getProcedures(null, null, "%"),
            facts.getTablePrivileges(null, "public", "t_jdbc"), facts.getColumnPrivileges(null, "public", "t_jdbc", "%"),
            facts.getBestRowIdentifier(null, "public", "t_jdbc", DatabaseMetaData.bestRowSession, false)}) {
            while (rows.next()) rows.getObject(1);
            rows.close();
        }
        check(63, Math.min(63, facts.getMaxColumnNameLength()), "length of names");
    }


    static String all(ResultSet rows, String column) throws SQLException {
        StringJoiner values = new StringJoiner(",");
        try (rows) {
            while (rows.next()) values.add(rows.getString(column));
        }
        return values.toString();
    }

    static void errors(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            check("42P01", state(() -> statement.executeQuery("select * from no_such")), "missing table");
            check("42601", state(() -> statement.executeQuery("selec 1")), "syntax");
            check("22012", state(() -> statement.executeQuery("select 1 / 0")), "division");
            check("42703", state(() -> statement.executeQuery("select nope from t_jdbc")), "missing column");
            check("3D000", state(() -> DriverManager.getConnection(PLACE.replace("/dev", "/nope"))), "missing database");
        }
    }

    static void transactions(Connection connection) throws Exception {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("delete from t_jdbc");
            connection.rollback();
            levels(connection);
            statement.setFetchSize(1000);
            int count = 0;
            try (ResultSet rows = statement.executeQuery("select g, 'row ' || g::varchar from generate_series(1, 200000) g")) {
                while (rows.next()) count++;
            }
            check(200000, count, "portal in parts");
            check("22012", state(() -> statement.executeQuery("select 1 / 0")), "error in a block");
            check("25P02", state(() -> statement.executeQuery("select 1")), "failed block");
            connection.rollback();
        }
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("select count(*) from t_jdbc")) {
            rows.next();
            check(19L, rows.getLong(1), "rows after rollback");
        }
    }

    static void levels(Connection connection) throws Exception {
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        connection.setReadOnly(false);
    }

    /// Parameters in places where drivers and tools put them, with the types that the driver leaves open.
    static void parameters(Connection connection) throws Exception {
        try (PreparedStatement some = connection.prepareStatement(
            "select id from t_jdbc where c10 = ? and c11 < ? and c10 between ? and ? order by id limit ? offset ?")) {
            java.sql.Date day = java.sql.Date.valueOf("2024-02-29");
            some.setDate(1, day);
            some.setTimestamp(2, Timestamp.valueOf("2000-01-02 00:00:00"));
            some.setDate(3, day);
            some.setDate(4, day);
            some.setInt(5, 2);
            some.setInt(6, 1);
            check("2,3", all(some.executeQuery(), "id"), "dates and limits");
        }
        try (PreparedStatement any = connection.prepareStatement("select c10 from t_jdbc where id = any(?) order by 1")) {
            any.setArray(1, connection.createArrayOf("int4", new Object[] {1, 2, 999}));
            check("2024-02-29,2024-02-29", all(any.executeQuery(), "c10"), "array");
        }
        try (PreparedStatement function = connection.prepareStatement("select * from abs(?) as result")) {
            function.setInt(1, -3);
            check("3", all(function.executeQuery(), "result"), "function in FROM");
        }
    }

    static void cancel(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            Thread thread = new Thread(() -> {
                try {
                    Thread.sleep(300);
                    statement.cancel();
                } catch (Exception error) {
                    throw new RuntimeException(error);
                }
            });
            thread.start();
            String sql = "select count(*) from generate_series(1, 2000000) a, generate_series(1, 2000000) b where a.a % 7 = b.b % 11";
            check("57014", state(() -> statement.executeQuery(sql)), "cancel");
            thread.join();
            statement.setQueryTimeout(1);
            check("57014", state(() -> statement.executeQuery(sql)), "query timeout");
        }
        check(true, connection.isValid(5), "after cancel");
    }

    /** What grids of tools do: columns know their tables, rows are changed in place; arrays go both ways. */
    static void grid(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
            statement.execute("create table t_grid (id int primary key, b varchar(10), n int)");
            statement.execute("insert into t_grid values (1, 'x', 5), (2, 'y', 6)");
            ResultSetMetaData columns = statement.executeQuery("select id, b as label, n + 1 as next from t_grid").getMetaData();
            check(List.of("t_grid", "t_grid", ""),
                List.of(columns.getTableName(1), columns.getTableName(2), columns.getTableName(3)), "tables of columns");
            check(ResultSetMetaData.columnNoNulls, columns.isNullable(1), "key is not null");
            check(ResultSetMetaData.columnNullable, columns.isNullable(2), "nullable");
            ResultSet rows = statement.executeQuery("select id, b from t_grid order by id");
            rows.next();
            rows.updateString(2, "changed");
            rows.updateRow();
            rows.next();
            rows.deleteRow();
            ResultSet left = statement.executeQuery("select id, b from t_grid");
            check(true, left.next(), "a row is left");
            check("changed", left.getString(2), "changed in place");
            check(false, left.next(), "deleted in place");
            ResultSet keys = statement.executeQuery("select conkey from pg_constraint where conname = 't_grid_pkey'");
            keys.next();
            check("_int2", keys.getMetaData().getColumnTypeName(1), "type of conkey");
            check(List.of((short) 1), Arrays.asList((Object[]) keys.getArray(1).getArray()), "conkey");
            try (PreparedStatement any = connection.prepareStatement("select count(*) from t_grid where id = any(?)")) {
                // More than five times: binary arrays.
                for (int time = 0; time < 8; time++) {
                    any.setArray(1, connection.createArrayOf("integer", new Object[] {1, 9}));
                    ResultSet found = any.executeQuery();
                    found.next();
                    check(1L, found.getLong(1), "= any(array)");
                }
            }
            try (PreparedStatement any = connection.prepareStatement("select count(*) from t_grid where b = any(?)")) {
                any.setArray(1, connection.createArrayOf("varchar", new Object[] {"changed", null, "q\"uo,te"}));
                ResultSet found = any.executeQuery();
                found.next();
                check(1L, found.getLong(1), "= any(texts)");
            }
            statement.execute("drop table t_grid");
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (String options : new String[] {"&sslmode=disable", "&sslmode=require", "&sslmode=disable&preferQueryMode=simple",
            "&sslmode=require&prepareThreshold=1&binaryTransfer=true", "&sslmode=disable&reWriteBatchedInserts=true"}) {
            try (Connection connection = DriverManager.getConnection(PLACE + options)) {
                // Simple mode writes numbers as '1.25'::numeric, which is numeric(18, 0) here as on Redshift.
                if (!options.contains("simple")) {
                    types(connection, options);
                    transactions(connection);
                    parameters(connection);
                    grid(connection);
                }
                metadata(connection);
                errors(connection);
                cancel(connection);
                connection.setSchema("public");
                check("public", connection.getSchema(), "schema");
                connection.setClientInfo("ApplicationName", "jdbc test");
            }
        }
        try (Connection connection = DriverManager.getConnection(PLACE); Statement statement = connection.createStatement()) {
            check(false, statement.execute("drop table t_jdbc"), "drop");
        }
    }
}
