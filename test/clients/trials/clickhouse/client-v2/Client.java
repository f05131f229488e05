import com.clickhouse.client.api.ServerException;
import com.clickhouse.client.api.data_formats.ClickHouseBinaryFormatReader;
import com.clickhouse.client.api.metadata.TableSchema;
import com.clickhouse.client.api.query.GenericRecord;
import com.clickhouse.client.api.query.QueryResponse;
import com.clickhouse.client.api.query.QuerySettings;
import com.clickhouse.client.api.query.Records;
import com.clickhouse.data.ClickHouseColumn;
import com.clickhouse.data.ClickHouseFormat;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
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
import java.util.TimeZone;
import java.util.concurrent.ExecutionException;

/**
 * What an analyst does with client-v2, by each of its ways to read, with one compression after the other: `plain`, `lz4`, `http`. Prints a JSON object for each step
 * (PROGRAMS.md).
 */
public class Client {
  private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  public static void main(String[] args) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    List<String> done = new ArrayList<>();
    for (String compression : args) {
      day(compression);
      done.add(compression);
    }
    say("compressions", done);
    System.exit(0);
  }

  private static void day(String compression) throws Exception {
    var builder = new com.clickhouse.client.api.Client.Builder()
        .addEndpoint(env("TRIAL_URL"))
        .setUsername(env("TRIAL_USERNAME"))
        .setPassword(env("TRIAL_PASSWORD"))
        .setDefaultDatabase("relay")
        .compressServerResponse(!compression.equals("plain"))
        .useHttpCompression(compression.equals("http"));
    try (com.clickhouse.client.api.Client client = builder.build()) {
      if (!client.ping()) throw new AssertionError("no answer to a ping");
      client.loadServerInfo();
      say("version", client.getServerVersion().replaceAll("^(\\d+\\.\\d+).*", "$1"));
      for (String step : List.of("types", "transactions", "empty")) {
        say(step, all(client.queryAll(sql(step))));
        say(step, read(client, sql(step), ClickHouseFormat.RowBinaryWithNamesAndTypes));
      }
      // The library's reader of this format knows no columns of low cardinality.
      say("limited", read(client, "SELECT amount_cents, message FROM transactions_final ORDER BY amount_cents LIMIT 2", ClickHouseFormat.Native));
      say("transactions", objects(client));
      say("many", many(client));
      records(client);
      text(client);
      parameters(client);
      say("tables", first(client.queryAll("SHOW TABLES")));
      say("columns", client.getTableSchema("transactions_daily").getColumns().stream().map(ClickHouseColumn::getColumnName).toList());
      for (String step : List.of("unknownColumn", "throws", "tooMany", "hidden")) {
        refused(step, () -> client.queryAll(sql(step)));
        refused(step, () -> read(client, sql(step), ClickHouseFormat.RowBinaryWithNamesAndTypes));
      }
      for (String step : List.of("insert", "create")) refused(step, () -> client.execute(sql(step)).get());
    }
  }

  private static List<Object> all(List<GenericRecord> records) {
    List<Object> rows = new ArrayList<>();
    for (GenericRecord record : records) {
      List<Object> row = new ArrayList<>();
      for (int index = 1; index <= record.getSchema().getColumns().size(); index++) row.add(printed(record.getObject(index)));
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> read(com.clickhouse.client.api.Client client, String sql, ClickHouseFormat format) throws Exception {
    try (QueryResponse response = client.query(sql, new QuerySettings().setFormat(format)).get()) {
      ClickHouseBinaryFormatReader reader = client.newBinaryFormatReader(response);
      List<Object> rows = new ArrayList<>();
      while (reader.hasNext()) {
        reader.next();
        List<Object> row = new ArrayList<>();
        for (int index = 1; index <= reader.getSchema().getColumns().size(); index++) row.add(printed(reader.readValue(index)));
        rows.add(row);
      }
      return rows;
    }
  }

  /** Into a class of the caller's own. */
  private static List<Object> objects(com.clickhouse.client.api.Client client) {
    TableSchema schema = client.getTableSchemaFromQuery(sql("transactions"));
    client.register(Transaction.class, schema);
    List<Object> rows = new ArrayList<>();
    for (Transaction it : client.queryAll(sql("transactions"), Transaction.class, schema)) {
      List<Object> row = new ArrayList<>();
      for (Object value : new Object[] {it.terminalId, it.day, it.uuid, it.createdAt, it.method, it.status, it.amountCents, it.unsolicited, it.message}) {
        row.add(printed(value));
      }
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> many(com.clickhouse.client.api.Client client) throws Exception {
    try (QueryResponse response = client.query(sql("many")).get()) {
      ClickHouseBinaryFormatReader reader = client.newBinaryFormatReader(response);
      long count = 0;
      long sum = 0;
      String text = null;
      ZonedDateTime moment = null;
      while (reader.hasNext()) {
        reader.next();
        count++;
        sum += reader.getLong("n");
        text = reader.getString("text");
        moment = reader.getZonedDateTime("moment");
      }
      return List.of(Long.toString(count), Long.toString(sum), text, printed(moment));
    }
  }

  private static void records(com.clickhouse.client.api.Client client) throws Exception {
    try (Records records = client.queryRecords(sql("many")).get()) {
      long count = 0;
      for (GenericRecord record : records) if (record.getLong("n") == count) count++;
      // Counted by the server, in a header.
      say("streamed", List.of(Long.toString(count), Long.toString(records.getResultRows())));
    }
  }

  private static void text(com.clickhouse.client.api.Client client) throws Exception {
    QuerySettings settings = new QuerySettings().setFormat(ClickHouseFormat.CSV).setMaxExecutionTime(8).setQueryId("asked-by-client-v2");
    try (QueryResponse response = client.query("SELECT amount_cents, message FROM transactions_final WHERE amount_cents = 1051", settings).get()) {
      if (!response.getQueryId().equals("asked-by-client-v2")) throw new AssertionError("the query is called " + response.getQueryId());
      say("text", new BufferedReader(new InputStreamReader(response.getInputStream(), StandardCharsets.UTF_8)).readLine());
    }
  }

  private static void parameters(com.clickhouse.client.api.Client client) throws Exception {
    String asked = "SELECT amount_cents, message FROM transactions_final WHERE amount_cents >= {amount:Int64} AND message = {text:String}";
    long amount = Long.parseLong(env("TRIAL_AMOUNT"));
    String text = env("TRIAL_TEXT");
    // ClickHouse reads parameters as escaped text, and the library leaves that to its caller.
    refused("unescaped", () -> client.queryAll(asked, Map.of("amount", amount, "text", text)));
    String escaped = text.replace("\\", "\\\\").replace("\t", "\\t");
    say("parameters", all(client.queryAll(asked, Map.of("amount", amount, "text", escaped))));
  }

  private static List<Object> first(List<GenericRecord> records) {
    List<Object> values = new ArrayList<>();
    for (GenericRecord record : records) values.add(record.getString(1));
    return values;
  }

  private interface Ask {
    Object answer() throws Exception;
  }

  /** The library's own exception, with ClickHouse's number. */
  private static void refused(String step, Ask ask) throws Exception {
    Object answer;
    try {
      answer = ask.answer();
    } catch (Exception error) {
      for (Throwable cause = error; cause != null; cause = cause.getCause()) {
        if (cause instanceof ServerException exception) {
          say(step, exception.getCode() + " " + exception.getMessage());
          return;
        }
      }
      throw error;
    }
    throw new AssertionError(step + " is answered with " + answer);
  }

  private static Object printed(Object value) {
    if (value == null) return null;
    if (value instanceof LocalDate date) return date + "T00:00:00.000Z";
    if (value instanceof OffsetDateTime moment) return MOMENT.format(moment.toInstant());
    if (value instanceof ZonedDateTime moment) return MOMENT.format(moment.toInstant());
    if (value instanceof LocalDateTime moment) return MOMENT.format(moment.toInstant(ZoneOffset.UTC));
    if (value instanceof Instant moment) return MOMENT.format(moment);
    if (value instanceof BigDecimal decimal) return decimal.toPlainString();
    if (value instanceof InetAddress address) return address.getHostAddress();
    if (value instanceof com.clickhouse.client.api.data_formats.internal.BinaryStreamReader.ArrayValue array) return printed(array.asList());
    if (value instanceof com.clickhouse.client.api.data_formats.internal.BinaryStreamReader.EnumValue member) return member.toString();
    if (value instanceof Collection<?> items) return items.stream().collect(ArrayList::new, (list, item) -> list.add(printed(item)), List::addAll);
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

  private static void say(String step, Object value) {
    System.out.println("{\"step\":" + json(step) + ",\"value\":" + json(value) + "}");
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

  public static class Transaction {
    private String terminalId;
    private LocalDate day;
    private String uuid;
    private ZonedDateTime createdAt;
    private String method;
    private String status;
    private long amountCents;
    private boolean unsolicited;
    private String message;

    public void setTerminalId(String value) {
      terminalId = value;
    }

    public void setDay(LocalDate value) {
      day = value;
    }

    public void setUuid(String value) {
      uuid = value;
    }

    public void setCreatedAt(ZonedDateTime value) {
      createdAt = value;
    }

    public void setMethod(String value) {
      method = value;
    }

    public void setStatus(String value) {
      status = value;
    }

    public void setAmountCents(long value) {
      amountCents = value;
    }

    public void setUnsolicited(boolean value) {
      unsolicited = value;
    }

    public void setMessage(String value) {
      message = value;
    }
  }
}
