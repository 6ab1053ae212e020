package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// dial opens a keep-alive connection and returns a function that sends one request on it
// and reads the answer. It does the minimum that HTTP/1.1 requires: an ordinary client
// costs more than the handlers that are measured here, and would hide them.
func dial(addr, method, path, token string, body func() string) (func() error, func(), error) {
	if body == nil {
		body = fixed("")
	}
	return dialNext(addr, method, token, func() (string, string) { return path, body() })
}

// dialNext gets the path and the body of every request from next. All bodies must have the
// same length.
func dialNext(addr, method, token string, next func() (path, body string)) (func() error, func(), error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	head := " HTTP/1.1\r\nHost: localhost\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	if method != "GET" {
		_, body := next()
		head += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	head += "\r\n"
	in, out := bufio.NewReader(conn), []byte(nil)
	op := func() error {
		path, body := next()
		out = append(append(append(out[:0], method...), ' '), path...)
		out = append(append(out, head...), body...)
		if _, err := conn.Write(out); err != nil {
			return err
		}
		return readAnswer(in)
	}
	return op, func() { _ = conn.Close() }, nil
}

func readAnswer(in *bufio.Reader) error {
	status, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if len(status) < 12 || status[9] != '2' {
		rest, _ := io.ReadAll(io.LimitReader(in, int64(in.Buffered())))
		return fmt.Errorf("answered %s%s", status, rest)
	}
	length, chunked := -1, false
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if name, value, ok := strings.Cut(string(line), ":"); ok && strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return err
			}
		} else if ok && strings.EqualFold(name, "Transfer-Encoding") {
			chunked = true
		}
	}
	if chunked {
		return discardChunks(in)
	}
	if length < 0 {
		return errors.New("the answer has no Content-Length")
	}
	_, err = in.Discard(length)
	return err
}

// discardChunks reads a long answer to its end.
func discardChunks(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(line)), 16, 32)
		if err != nil {
			return err
		}
		if _, err := in.Discard(int(size) + 2); err != nil || size == 0 {
			return err
		}
	}
}
