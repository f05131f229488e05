// What an analyst does, with clickhouse-go over HTTP, by its own interface or by that of database/sql:
// `client native|std|grafana|unsupported none|lz4|zstd|gzip|deflate|br`. Prints a JSON object for each step (PROGRAMS.md beside this folder).
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

var compressions = map[string]clickhouse.CompressionMethod{
	"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4, "zstd": clickhouse.CompressionZSTD,
	"gzip": clickhouse.CompressionGZIP, "deflate": clickhouse.CompressionDeflate, "br": clickhouse.CompressionBrotli,
}

// A result, of either interface.
type result interface {
	Next() bool
	Scan(...any) error
	Err() error
	Close() error
}

// What both interfaces of the library can do.
type client struct {
	query   func(statement string, arguments ...any) (result, error)
	columns func(result) ([]reflect.Type, error)
	exec    func(statement string) error
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(what, compression string) error {
	address, err := url.Parse(os.Getenv("TRIAL_URL"))
	if err != nil {
		return err
	}
	options := &clickhouse.Options{
		Protocol:    clickhouse.HTTP,
		Addr:        []string{address.Host},
		Auth:        clickhouse.Auth{Database: "relay", Username: os.Getenv("TRIAL_USERNAME"), Password: os.Getenv("TRIAL_PASSWORD")},
		Compression: &clickhouse.Compression{Method: compressions[compression]},
		Settings:    clickhouse.Settings{"max_execution_time": 8},
	}
	// The library tells the server how long its context has, in place of the setting.
	ctx, cancel := context.WithTimeout(context.Background(), 9*time.Second)
	defer cancel()
	switch what {
	case "native":
		conn, err := clickhouse.Open(options)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := conn.Ping(ctx); err != nil {
			return fmt.Errorf("ping: %w", err)
		}
		version, err := conn.ServerVersion()
		if err != nil {
			return fmt.Errorf("version: %w", err)
		}
		say("version", fmt.Sprintf("%d.%d", version.Version.Major, version.Version.Minor))
		if err := structs(ctx, conn); err != nil {
			return err
		}
		return day(nativeClient(ctx, conn))
	case "std":
		db := clickhouse.OpenDB(options)
		defer db.Close()
		if err := db.PingContext(ctx); err != nil {
			return fmt.Errorf("ping: %w", err)
		}
		return day(stdClient(ctx, db))
	case "grafana":
		return grafana(ctx, options)
	case "unsupported":
		conn, err := clickhouse.Open(options)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := conn.Ping(ctx); err != nil {
			return refused("unsupported", err)
		}
		return fmt.Errorf("%s is answered", compression)
	}
	return fmt.Errorf("there is no %s", what)
}

func nativeClient(ctx context.Context, conn driver.Conn) client {
	return client{
		query: func(statement string, arguments ...any) (result, error) {
			return conn.Query(ctx, statement, arguments...)
		},
		columns: func(found result) ([]reflect.Type, error) {
			rows, ok := found.(driver.Rows)
			if !ok {
				return nil, errors.New("not the library's rows")
			}
			types := []reflect.Type{}
			for _, column := range rows.ColumnTypes() {
				types = append(types, column.ScanType())
			}
			return types, nil
		},
		exec: func(statement string) error { return conn.Exec(ctx, statement) },
	}
}

func stdClient(ctx context.Context, db *sql.DB) client {
	return client{
		query: func(statement string, arguments ...any) (result, error) {
			return db.QueryContext(ctx, statement, arguments...)
		},
		columns: func(found result) ([]reflect.Type, error) {
			rows, ok := found.(*sql.Rows)
			if !ok {
				return nil, errors.New("not the rows of database/sql")
			}
			described, err := rows.ColumnTypes()
			types := []reflect.Type{}
			for _, column := range described {
				types = append(types, column.ScanType())
			}
			return types, err
		},
		exec: func(statement string) error {
			_, err := db.ExecContext(ctx, statement)
			return err
		},
	}
}

func day(to client) error {
	for _, step := range []string{"types", "transactions", "empty"} {
		rows, err := all(to, statement(step))
		if err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
		say(step, rows)
	}
	if err := parameters(to); err != nil {
		return err
	}
	if err := many(to); err != nil {
		return fmt.Errorf("many: %w", err)
	}
	for step, statement := range map[string]string{"tables": "SHOW TABLES", "columns": "DESCRIBE TABLE transactions_daily"} {
		names, err := firsts(to, statement)
		if err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
		say(step, names)
	}
	for _, step := range []string{"unknownColumn", "throws", "tooMany", "hidden"} {
		rows, err := all(to, statement(step))
		if err == nil {
			return fmt.Errorf("%s is answered with %d rows", step, len(rows))
		}
		if err := refused(step, err); err != nil {
			return err
		}
	}
	for _, step := range []string{"insert", "create"} {
		err := to.exec(statement(step))
		if err == nil {
			return fmt.Errorf("%s is not refused", step)
		}
		if err := refused(step, err); err != nil {
			return err
		}
	}
	return nil
}

// The library's way for positions, for names, and ClickHouse's own for typed names.
func parameters(to client) error {
	amount, err := strconv.Atoi(os.Getenv("TRIAL_AMOUNT"))
	if err != nil {
		return err
	}
	text := os.Getenv("TRIAL_TEXT")
	named := []any{clickhouse.Named("amount", amount), clickhouse.Named("text", text)}
	typed := []any{clickhouse.Named("amount", os.Getenv("TRIAL_AMOUNT")), clickhouse.Named("text", text)}
	for name, ask := range map[string]struct {
		condition string
		arguments []any
	}{
		"positions":   {"amount_cents >= ? AND message = ?", []any{amount, text}},
		"names":       {"amount_cents >= @amount AND message = @text", named},
		"typed names": {"amount_cents >= {amount:Int64} AND message = {text:String}", typed},
	} {
		rows, err := all(to, "SELECT amount_cents, message FROM transactions_final WHERE "+ask.condition, ask.arguments...)
		if err != nil {
			return fmt.Errorf("parameters by %s: %w", name, err)
		}
		say("parameters", rows)
	}
	return nil
}

func many(to client) error {
	rows, err := to.query(statement("many"))
	if err != nil {
		return err
	}
	defer rows.Close()
	var count, sum, n uint64
	var text string
	var moment time.Time
	for rows.Next() {
		if err := rows.Scan(&n, &text, &moment); err != nil {
			return err
		}
		count, sum = count+1, sum+n
	}
	say("many", []any{printed(count), printed(sum), text, printed(moment)})
	return rows.Err()
}

// A row for each that matches, into the caller's own struct.
func structs(ctx context.Context, conn driver.Conn) error {
	var transactions []struct {
		TerminalID  string    `ch:"terminal_id"`
		Day         time.Time `ch:"day"`
		UUID        string    `ch:"uuid"`
		CreatedAt   time.Time `ch:"created_at"`
		Method      string    `ch:"method"`
		Status      string    `ch:"status"`
		Amount      int64     `ch:"amount_cents"`
		Unsolicited bool      `ch:"unsolicited"`
		Message     string    `ch:"message"`
	}
	if err := conn.Select(ctx, &transactions, statement("transactions")); err != nil {
		return fmt.Errorf("structs: %w", err)
	}
	rows := [][]any{}
	for _, t := range transactions {
		rows = append(rows, []any{t.TerminalID, printed(t.Day), t.UUID, printed(t.CreatedAt), t.Method, t.Status, printed(t.Amount), printed(t.Unsolicited), t.Message})
	}
	say("transactions", rows)
	return nil
}

func all(to client, statement string, arguments ...any) ([][]any, error) {
	found, err := to.query(statement, arguments...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	types, err := to.columns(found)
	if err != nil {
		return nil, err
	}
	rows := [][]any{}
	for found.Next() {
		cells := []any{}
		for _, column := range types {
			cells = append(cells, reflect.New(column).Interface())
		}
		if err := found.Scan(cells...); err != nil {
			return nil, err
		}
		for index, cell := range cells {
			cells[index] = printed(reflect.ValueOf(cell).Elem().Interface())
		}
		rows = append(rows, cells)
	}
	return rows, found.Err()
}

func printed(value any) any {
	if value == nil {
		return nil
	}
	switch known := value.(type) {
	case time.Time:
		return known.UTC().Format("2006-01-02T15:04:05.000Z")
	case fmt.Stringer:
		if reflect.ValueOf(value).Kind() != reflect.Pointer {
			return known.String()
		}
	}
	it := reflect.ValueOf(value)
	switch it.Kind() {
	case reflect.Pointer:
		if it.IsNil() {
			return nil
		}
		return printed(it.Elem().Interface())
	case reflect.Slice:
		items := []any{}
		for index := range it.Len() {
			items = append(items, printed(it.Index(index).Interface()))
		}
		return items
	case reflect.Map:
		members := map[string]any{}
		for _, key := range it.MapKeys() {
			members[fmt.Sprint(key)] = printed(it.MapIndex(key).Interface())
		}
		return members
	}
	return fmt.Sprint(value)
}

// The library's own exception, with ClickHouse's number.
func refused(step string, err error) error {
	var exception *clickhouse.Exception
	if !errors.As(err, &exception) {
		return fmt.Errorf("%s: not an exception of ClickHouse but %T: %w", step, err, err)
	}
	say(step, fmt.Sprintf("%d %s", exception.Code, err))
	return nil
}

func statement(step string) string {
	return os.Getenv("TRIAL_SQL_" + step)
}

func say(step string, value any) {
	line, err := json.Marshal(map[string]any{"step": step, "value": value})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

// What Grafana's data source asks with its defaults (gzip, a minute for a query), when it is saved, in its query builder and for a panel.
func grafana(ctx context.Context, options *clickhouse.Options) error {
	options.Settings = clickhouse.Settings{}
	options.DialTimeout = 10 * time.Second
	options.ReadTimeout = time.Minute
	options.ClientInfo = clickhouse.ClientInfo{Products: []struct{ Name, Version string }{{"grafana", "12.2.0"}, {"clickhouse-datasource", "4.11.1"}}}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	db := clickhouse.OpenDB(options)
	defer db.Close()
	if err := db.PingContext(ctx); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	to := stdClient(ctx, db)
	for _, ask := range []struct{ step, statement string }{
		{"version", "SELECT version()"},
		{"schemas", "SHOW DATABASES"},
		{"tables", `SHOW TABLES FROM "relay"`},
		{"columns", `DESC TABLE "relay"."transactions_daily"`},
		{"columns", "SELECT name, type, table FROM system.columns WHERE database IN ('relay') AND table = 'transactions_daily'"},
	} {
		names, err := firsts(to, ask.statement)
		if err != nil {
			return fmt.Errorf("%s: %w", ask.statement, err)
		}
		if ask.step == "version" {
			say("version", regexp.MustCompile(`^\d+\.\d+`).FindString(names[0]))
		} else {
			say(ask.step, names)
		}
	}
	if _, err := all(to, "SELECT DISTINCT \"status\" FROM \"relay\".\"transactions_final\" WHERE \"status\" IS NOT NULL LIMIT 1000"); err != nil {
		return err
	}
	if _, err := all(to, "SELECT name, syntax, arguments, returned_value, description FROM system.functions LIMIT 10"); err != nil {
		return err
	}
	panel := `SELECT toStartOfInterval(toDateTime(created_at), INTERVAL 60 second) as "time", sum(amount_cents) as total FROM "relay"."transactions_final"
		WHERE ( created_at >= toDateTime(%d) AND created_at <= toDateTime(%d) ) AND status = 'OK' GROUP BY "time" ORDER BY "time" ASC LIMIT 1000`
	now := time.Now().Unix()
	rows, err := all(to, fmt.Sprintf(panel, now-86_400, now+86_400))
	if err != nil {
		return fmt.Errorf("panel: %w", err)
	}
	total := 0
	for _, row := range rows {
		amount, err := strconv.Atoi(fmt.Sprint(row[1]))
		if err != nil {
			return err
		}
		total += amount
	}
	say("panel", strconv.Itoa(total))
	if _, err := all(to, statement("unknownColumn")); err == nil {
		return errors.New("an unknown column is answered")
	} else if err := refused("unknownColumn", err); err != nil {
		return err
	}
	return nil
}

func firsts(to client, statement string) ([]string, error) {
	rows, err := all(to, statement)
	names := []string{}
	for _, row := range rows {
		names = append(names, fmt.Sprint(row[0]))
	}
	return names, err
}
