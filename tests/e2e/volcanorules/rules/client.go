// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// answerLimit is what Volcano reads of an answer: more is an error.
const answerLimit = 10 << 20

// Client sends as the plugin's send() does: POST, no credentials, one timeout for every verb,
// nothing but status 200 is an answer, and only the first JSON value of a body is looked at.
type Client struct {
	URL   string // the prefix, with or without a slash at its end
	HTTP  *http.Client
	Spoil func(verb string, body []byte) []byte // what goes out instead, for tests of faults

	lock  sync.Mutex
	calls map[string]int
}

// NewClient makes one with Volcano's default timeout, 1 s, where timeout is 0. Volcano uses Go's
// default transport, which keeps two idle connections a host, so that with 16 workers about half of
// the calls dial anew: idle is 2 there. More spares the machine's ports in long runs.
func NewClient(url string, timeout time.Duration, idle int) *Client {
	if timeout == 0 {
		timeout = time.Second
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idle
	return &Client{
		URL:   url,
		HTTP:  &http.Client{Timeout: timeout, Transport: transport},
		calls: map[string]int{},
	}
}

// Send asks, and decodes the answer into result. A nil result is a verb whose answer is never
// read.
func (c *Client) Send(verb string, ask, result any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	c.lock.Lock()
	c.calls[verb]++
	c.lock.Unlock()
	if c.Spoil != nil {
		body = c.Spoil(verb, body)
	}

	url := strings.TrimRight(c.URL, "/") + "/" + verb
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.HTTP.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", verb, response.StatusCode)
	}
	if result == nil {
		return nil
	}
	limited := http.MaxBytesReader(nil, response.Body, answerLimit)
	return json.NewDecoder(limited).Decode(result)
}

// Calls says how often a verb was sent.
func (c *Client) Calls(verb string) int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.calls[verb]
}
