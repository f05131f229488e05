// github.com/go-fed/httpsig: signs one request, which ../signed-request.ts describes, sends it with net/http and prints what came back.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/go-fed/httpsig"
)

type question struct {
	Method, URL, Body, SentBody, Salt, KeyID, Secret, Algorithm string
	Headers                                                     []string
}

func main() {
	var asked question
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	var body []byte
	if asked.Method == "POST" {
		body = []byte(asked.Body)
	}
	request, err := http.NewRequest(asked.Method, asked.URL, bytes.NewReader([]byte(asked.SentBody)))
	must(err)
	// net/http adds these two later than the library signs.
	request.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	request.Header.Set("Host", request.URL.Host)
	request.Header.Set("X-Signature-Salt", asked.Salt)
	request.Header.Set("Content-Type", "application/json")
	signer, _, err := httpsig.NewSigner([]httpsig.Algorithm{httpsig.Algorithm(asked.Algorithm)}, httpsig.DigestSha256, asked.Headers, httpsig.Authorization, 60)
	must(err)
	must(signer.SignRequest([]byte(asked.Secret), asked.KeyID, request, body))

	client := http.Client{Timeout: 20 * time.Second}
	response, err := client.Do(request)
	must(err)
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"status":        response.StatusCode,
		"text":          string(text),
		"authorization": request.Header.Get("Authorization"),
	}))
}

func must(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
