import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import java.util.TreeSet;

/** What an analyst does over JDBC: `analyst`, `pool`, `dbeaver`, `metabase`, with properties of the connection. Prints a JSON object for each step (PROGRAMS.md). */
public class Client {
  private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
  private static final String URL = "jdbc:clickhouse:" + env("TRIAL_URL") + "/relay";

  public static void main(String[] args) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Properties properties = new Properties();
    properties.setProperty("user", env("TRIAL_USERNAME"));
    properties.setProperty("password", env("TRIAL_PASSWORD"));
    for (int index = 1; index < args.length; index++) {
      String[] property = args[index].split("=", 2);
      properties.setProperty(property[0], property[1]);
    }
    switch (args[0]) {
      case "analyst" -> analyst(properties);
      case "pool" -> pool(properties);
      case "dbeaver" -> dbeaver(properties);
      case "metabase" -> metabase(properties);
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.exit(0);
  }

  private static void analyst(Properties properties) throws Exception {
    try (Connection connection = DriverManager.getConnection(URL, properties)) {
      if (!connection.isValid(5)) throw new AssertionError("the connection is not valid");
      DatabaseMetaData about = connection.getMetaData();
      say("version", about.getDatabaseMajorVersion() + "." + about.getDatabaseMinorVersion());
      try (Statement statement = connection.createStatement()) {
        for (String step : List.of("types", "transactions", "empty")) {
          try (ResultSet found = statement.executeQuery(sql(step))) {
            say(step, rows(found));
          }
        }
        try (ResultSet found = statement.executeQuery(sql("many"))) {
          long count = 0;
          long sum = 0;
          String text = null;
          Timestamp moment = null;
          while (found.next()) {
            count++;
            sum += found.getLong("n");
            text = found.getString("text");
            moment = found.getTimestamp("moment");
          }
          say("many", List.of(Long.toString(count), Long.toString(sum), text, printed(moment)));
        }
        // A tool's own limits: rows, and seconds. ClickHouse ends a result with the block that has the last row.
        statement.setMaxRows(3);
        statement.setQueryTimeout(30);
        try (ResultSet found = statement.executeQuery("SELECT number FROM numbers(100000)")) {
          say("limited", Integer.toString(rows(found).size()));
        }
        statement.setMaxRows(0);
        statement.setQueryTimeout(0);
        for (String step : List.of("unknownColumn", "throws", "tooMany", "hidden")) {
          refused(step, () -> rows(statement.executeQuery(sql(step))));
        }
        for (String step : List.of("insert", "create")) refused(step, () -> statement.executeUpdate(sql(step)));
      }
      parameters(connection);
      say("schemas", databases(about));
      say("tables", tables(about, "relay"));
      say("columns", columns(about, "transactions_daily"));
    }
  }

  private static void parameters(Connection connection) throws SQLException {
    String asked = "SELECT amount_cents, message FROM transactions_final WHERE amount_cents >= ? AND message = ?";
    try (PreparedStatement statement = connection.prepareStatement(asked)) {
      statement.setLong(1, Long.parseLong(env("TRIAL_AMOUNT")));
      statement.setString(2, env("TRIAL_TEXT"));
      try (ResultSet found = statement.executeQuery()) {
        say("parameters", rows(found));
      }
    }
  }

  /** Four connections at once, each checked before use, as a pool does. */
  private static void pool(Properties properties) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(URL);
    config.setDataSourceProperties(properties);
    config.setMaximumPoolSize(4);
    config.setConnectionTestQuery("SELECT 1");
    try (HikariDataSource source = new HikariDataSource(config)) {
      List<Thread> threads = new ArrayList<>();
      List<Exception> failures = new ArrayList<>();
      for (int index = 0; index < 8; index++) {
        Thread thread = new Thread(() -> {
          try (Connection connection = source.getConnection()) {
            parameters(connection);
          } catch (Exception error) {
            synchronized (failures) {
              failures.add(error);
            }
          }
        });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) thread.join();
      if (!failures.isEmpty()) throw failures.get(0);
    }
  }

  /** What DBeaver asks when it connects, opens the tree and a table; a session, its own name, its time zone. */
  private static void dbeaver(Properties properties) throws Exception {
    properties.setProperty("clickhouse_setting_session_id", "sess_" + java.util.UUID.randomUUID());
    properties.setProperty("use_server_time_zone", "false");
    properties.setProperty("use_time_zone", "UTC");
    properties.setProperty("jdbc_ignore_unsupported_values", "true");
    properties.setProperty("client_name", "DBeaver 25.2 - Main");
    try (Connection connection = DriverManager.getConnection(URL, properties)) {
      connection.setReadOnly(false);
      connection.setAutoCommit(true);
      DatabaseMetaData about = connection.getMetaData();
      about.getDatabaseProductName();
      about.getSQLKeywords();
      try (Statement statement = connection.createStatement()) {
        statement.setQueryTimeout(30);
        say("version", column(statement.executeQuery("SELECT VERSION()"), 1).get(0).replaceAll("^(\\d+\\.\\d+).*", "$1"));
        say("schemas", column(statement.executeQuery("SHOW DATABASES"), 1));
        if (!column(statement.executeQuery("SELECT name FROM system.table_engines"), 1).contains("MergeTree")) throw new AssertionError("no engines");
        if (rows(statement.executeQuery("SELECT name, case_insensitive FROM system.data_type_families")).isEmpty()) throw new AssertionError("no types");
      }
      if (!column(about.getTypeInfo(), "TYPE_NAME").contains("DateTime64")) throw new AssertionError("no types");
      rows(about.getTableTypes());
      String asked = "SELECT name as TABLE_NAME, engine as TABLE_TYPE, database as TABLE_SCHEM,comment as REMARKS, * FROM system.tables\nWHERE database = ?";
      try (PreparedStatement statement = connection.prepareStatement(asked)) {
        statement.setString(1, "relay");
        say("tables", new ArrayList<>(new TreeSet<>(column(statement.executeQuery(), "TABLE_NAME"))));
      }
      say("columns", columns(about, "transactions_daily"));
      rows(about.getPrimaryKeys(null, "relay", "transactions"));
      rows(about.getImportedKeys(null, "relay", "transactions"));
      rows(about.getIndexInfo(null, "relay", "transactions", false, true));
      try (PreparedStatement statement = connection.prepareStatement("SHOW CREATE TABLE relay.transactions_final")) {
        if (!column(statement.executeQuery(), 1).get(0).startsWith("CREATE VIEW relay.transactions_final")) throw new AssertionError("no text of the view");
      }
      try (Statement statement = connection.createStatement()) {
        statement.setMaxRows(200);
        statement.setFetchSize(200);
        try (ResultSet found = statement.executeQuery("SELECT * FROM relay.transactions_final LIMIT 0, 200")) {
          say("limited", Integer.toString(rows(found).size()));
        }
        refused("insert", () -> statement.executeUpdate(sql("insert")));
      }
    }
  }

  /** What Metabase asks when it is told of a database, reads its tables and runs a question, with the properties that it sets. */
  private static void metabase(Properties properties) throws Exception {
    Map.of(
        "use_server_time_zone_for_dates", "true", "product_name", "metabase/v0.56", "remember_last_set_roles", "true",
        "http_connection_provider", "HTTP_URL_CONNECTION", "jdbc_ignore_unsupported_values", "true", "jdbc_schema_term", "schema",
        "select_sequential_consistency", "true", "max_open_connections", "100", "custom_http_params", "", "ssl", "false")
        .forEach(properties::setProperty);
    try (Connection connection = DriverManager.getConnection(URL, properties)) {
      connection.setTransactionIsolation(connection.getMetaData().getDefaultTransactionIsolation());
      connection.setReadOnly(true);
      DatabaseMetaData about = connection.getMetaData();
      say("version", about.getDatabaseMajorVersion() + "." + about.getDatabaseMinorVersion());
      try (Statement statement = connection.createStatement()) {
        say("zone", column(statement.executeQuery("SELECT timezone() AS tz"), "tz").get(0));
        column(statement.executeQuery("SELECT 1"), 1);
      }
      say("tables", tables(about, "relay"));
      say("tables", tables(about, "%"));
      say("columns", columns(about, "transactions_daily"));
      rows(about.getPrimaryKeys(null, "relay", "transactions"));
      String question = "SELECT toStartOfDay(`relay`.`transactions_final`.`created_at`) AS `created_at`, COUNT(*) AS `count` FROM `relay`.`transactions_final`"
          + " WHERE `relay`.`transactions_final`.`status` = ? GROUP BY toStartOfDay(`relay`.`transactions_final`.`created_at`) ORDER BY 1 ASC";
      try (PreparedStatement statement = connection.prepareStatement(question, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
        statement.setString(1, "OK");
        statement.setMaxRows(1_048_575);
        statement.setFetchSize(500);
        say("limited", column(statement.executeQuery(), "count").get(0));
      }
      try (Statement statement = connection.createStatement()) {
        refused("unknownColumn", () -> rows(statement.executeQuery(sql("unknownColumn"))));
      }
    }
  }

  /** Version 0.6 calls a database a catalog, later ones a schema. */
  private static List<String> databases(DatabaseMetaData about) throws SQLException {
    List<String> schemas = column(about.getSchemas(), "TABLE_SCHEM");
    return schemas.isEmpty() ? column(about.getCatalogs(), "TABLE_CAT") : schemas;
  }

  private static List<Object> tables(DatabaseMetaData about, String database) throws SQLException {
    List<Object> names = new ArrayList<>();
    String[] types = {"TABLE", "VIEW", "FOREIGN TABLE", "REMOTE TABLE", "DICTIONARY", "MATERIALIZED VIEW", "MEMORY TABLE", "LOG TABLE"};
    boolean catalogs = column(about.getSchemas(), "TABLE_SCHEM").isEmpty();
    try (ResultSet found = catalogs ? about.getTables(database, null, "%", types) : about.getTables(null, database, "%", types)) {
      while (found.next()) {
        String name = found.getString("TABLE_NAME");
        String type = name.endsWith("_final") ? "VIEW" : "TABLE";
        if (List.of("transactions", "transactions_final").contains(name) && !found.getString("TABLE_TYPE").equals(type)) {
          throw new AssertionError(name + " is a " + found.getString("TABLE_TYPE"));
        }
        if (found.getString(catalogs ? "TABLE_CAT" : "TABLE_SCHEM").equals("relay")) names.add(name);
      }
    }
    names.sort(null);
    return names;
  }

  private static List<String> columns(DatabaseMetaData about, String table) throws SQLException {
    boolean catalogs = column(about.getSchemas(), "TABLE_SCHEM").isEmpty();
    return column(catalogs ? about.getColumns("relay", null, table, "%") : about.getColumns(null, "relay", table, "%"), "COLUMN_NAME");
  }

  private static List<String> column(ResultSet found, Object column) throws SQLException {
    try (found) {
      List<String> values = new ArrayList<>();
      while (found.next()) values.add(column instanceof String name ? found.getString(name) : found.getString((int) column));
      return values;
    }
  }

  private static List<List<Object>> rows(ResultSet found) throws SQLException {
    ResultSetMetaData about = found.getMetaData();
    if (about.getColumnCount() == 0) throw new AssertionError("a result without columns");
    List<List<Object>> rows = new ArrayList<>();
    while (found.next()) {
      List<Object> row = new ArrayList<>();
      for (int index = 1; index <= about.getColumnCount(); index++) {
        // As a Timestamp, later versions give what the clock shows in the column's own zone.
        boolean zoned = about.getColumnTypeName(index).contains("Europe/Rome");
        row.add(printed(zoned ? found.getObject(index, ZonedDateTime.class) : found.getObject(index)));
      }
      rows.add(row);
    }
    return rows;
  }

  private interface Ask {
    Object answer() throws SQLException;
  }

  private static void refused(String step, Ask ask) {
    Object answer;
    try {
      answer = ask.answer();
    } catch (SQLException error) {
      say(step, error.getErrorCode() + " " + error.getMessage());
      return;
    }
    throw new AssertionError(step + " is answered with " + answer);
  }

  private static Object printed(Object value) throws SQLException {
    if (value == null) return null;
    if (value instanceof Timestamp timestamp) return MOMENT.format(timestamp.toInstant());
    if (value instanceof java.sql.Date date) return date.toLocalDate() + "T00:00:00.000Z";
    if (value instanceof LocalDate date) return date + "T00:00:00.000Z";
    if (value instanceof OffsetDateTime moment) return MOMENT.format(moment.toInstant());
    if (value instanceof ZonedDateTime moment) return MOMENT.format(moment.toInstant());
    if (value instanceof LocalDateTime moment) return MOMENT.format(moment.toInstant(ZoneOffset.UTC));
    if (value instanceof Instant moment) return MOMENT.format(moment);
    if (value instanceof BigDecimal decimal) return decimal.toPlainString();
    if (value instanceof InetAddress address) return address.getHostAddress();
    if (value instanceof java.sql.Array array) return printed(array.getArray());
    if (value instanceof Collection<?> items) return printed(items.toArray());
    if (value.getClass().isArray()) {
      List<Object> items = new ArrayList<>();
      for (int index = 0; index < java.lang.reflect.Array.getLength(value); index++) items.add(printed(java.lang.reflect.Array.get(value, index)));
      return items;
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> members = new LinkedHashMap<>();
      for (Map.Entry<?, ?> entry : map.entrySet()) members.put(entry.getKey().toString(), printed(entry.getValue()));
      return members;
    }
    return value.toString();
  }

  private static String sql(String step) {
    return env("TRIAL_SQL_" + step);
  }

  private static String env(String name) {
    return System.getenv(name);
  }

  private static synchronized void say(String step, Object value) {
    System.out.println("{\"step\":" + json(step) + ",\"value\":" + json(value) + "}");
    System.out.flush();
  }

  private static String json(Object value) {
    if (value == null) return "null";
    if (value instanceof List<?> items) return "[" + String.join(",", items.stream().map(Client::json).toList()) + "]";
    if (value instanceof Map<?, ?> map) {
      return "{" + String.join(",", map.entrySet().stream().map((entry) -> json(entry.getKey()) + ":" + json(entry.getValue())).toList()) + "}";
    }
    StringBuilder text = new StringBuilder("\"");
    for (char character : value.toString().toCharArray()) {
      // What is beyond ASCII is escaped too: the standard output of a JVM has the machine's own encoding.
      if (character == '"' || character == '\\') text.append('\\').append(character);
      else if (character < 0x20 || character > 0x7e) text.append(String.format("\\u%04x", (int) character));
      else text.append(character);
    }
    return text.append('"').toString();
  }
}
