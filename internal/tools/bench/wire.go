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

// dial opens a keep-alive connection and gives what sends one request on it and
// reads the answer. It does the least that HTTP/1.1 asks: an ordinary client
// costs more than the handlers that are measured here, and would hide them.
func dial(addr, method, path, token string, body func() string) (func() error, func(), error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	head := method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	if body == nil {
		head += "\r\n"
		body = fixed("")
	} else {
		head += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body())) + "\r\n\r\n"
	}
	in, out := bufio.NewReader(conn), []byte(nil)
	op := func() error {
		out = append(append(out[:0], head...), body()...)
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
	length := -1
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
		}
	}
	if length < 0 {
		return errors.New("an answer without Content-Length")
	}
	_, err = in.Discard(length)
	return err
}
