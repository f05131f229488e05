// net/http, with a client that keeps its connections: sends the calls of ../http-call.ts and prints the answers.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

type call struct {
	Method, URL, Body string
	Headers           map[string]string
	Expect            bool
	Times             int
}

type answer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Text    string            `json:"text"`
}

// Long, so that a body which comes although nobody sent 100 Continue is seen as what it is.
var client = http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{ExpectContinueTimeout: 10 * time.Second}}

func main() {
	var calls []call
	must(json.NewDecoder(os.Stdin).Decode(&calls))
	answers := []answer{}
	for _, asked := range calls {
		last := send(asked)
		for sent := 1; sent < asked.Times && last.Status != http.StatusTooManyRequests; sent++ {
			last = send(asked)
		}
		answers = append(answers, last)
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

func send(asked call) answer {
	request, err := http.NewRequest(asked.Method, asked.URL, strings.NewReader(asked.Body))
	must(err)
	for name, value := range asked.Headers {
		request.Header.Set(name, value)
	}
	if asked.Expect {
		request.Header.Set("Expect", "100-continue")
	}
	response, err := client.Do(request)
	must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	must(err)
	headers := map[string]string{}
	for name := range response.Header {
		headers[strings.ToLower(name)] = response.Header.Get(name)
	}
	return answer{response.StatusCode, headers, string(text)}
}

func must(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
